import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { boolean, sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { reservations } from './schema.ts';

type ReservationRow = typeof reservations.$inferSelect;
export type Reserved = Pick<ReservationRow, 'messages' | 'inputTokens' | 'outputTokens' | 'costMicroUsd'>;

interface ReservationKey {
  tenantId: string;
  reservationId: string;
}

const held = columns({ isSettled: boolean('settled_at is not null'), allowance: reservations.allowance });
const holdText = typedSql`
  update usage.reservations set expires_at = greatest(expires_at, now() + make_interval(secs => $3::float8 / 1000))
  where tenant_id = $1 and reservation_id = $2 and (expires_at > now() or settled_at is not null)
  returning ${held}`;

/**
 * Locks the reservation of an earlier attempt of the same turn, or returns that its turn has ended. `undefined` means
 * that there is none, or it has expired and others may use its tokens.
 */
export const holdReservation = preparedStatement({
  name: 'usage.reservations.hold',
  text: holdText,
  values: ({ tenantId, reservationId }: ReservationKey, holdMs: number) => [tenantId, reservationId, holdMs],
  result: ([row]) => row,
});

/** Whether `holdReservation` would find something, without locking it. */
export const isReserved = preparedStatement({
  name: 'usage.reservations.is-held',
  text: `select from usage.reservations
         where tenant_id = $1 and reservation_id = $2 and (expires_at > now() or settled_at is not null)`,
  values: ({ tenantId, reservationId }: ReservationKey) => [tenantId, reservationId],
  result: (rows) => rows.length > 0,
});

export const insertReservation = preparedStatement({
  name: 'usage.reservations.insert',
  text: `insert into usage.reservations (tenant_id, reservation_id, messages, input_tokens, output_tokens, cost_micro_usd,
           expires_at, allowance)
         values ($tenantId, $reservationId, $messages, $inputTokens, $outputTokens, $costMicroUsd,
           now() + make_interval(secs => $holdMs::float8 / 1000), $allowance)
         on conflict (tenant_id, reservation_id) do update set messages = excluded.messages,
           input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
           cost_micro_usd = excluded.cost_micro_usd, expires_at = excluded.expires_at,
           allowance = excluded.allowance`,
  values: (reservation: ReservationKey & Reserved & Pick<ReservationRow, 'allowance'>, holdMs: number) => {
    const { tenantId, reservationId, messages, inputTokens, outputTokens, costMicroUsd, allowance } =
      reservation;
    return {
      tenantId,
      reservationId,
      messages,
      inputTokens,
      outputTokens,
      costMicroUsd,
      holdMs,
      allowance,
    };
  },
});

const reservedText = typedSql`
  select ${columns({
    messages: sum('messages'),
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    costMicroUsd: sum('cost_micro_usd'),
  })} from usage.reservations where tenant_id = $1 and settled_at is null and expires_at > now()`;

/** Sums held reservations: expired ones don't count, even before they are removed. */
export async function sumReserved(tx: TenantTx, tenantId: string): Promise<Reserved> {
  return await tx.one({ name: 'usage.reservations.sum', text: reservedText, values: [tenantId] });
}

/**
 * Marks the turns as ended. A settled reservation is kept for a while, so that a late attempt doesn't reserve again.
 */
export const settleReservations = preparedStatement({
  name: 'usage.reservations.settle',
  text: `update usage.reservations r set settled_at = now()
         from unnest($1::uuid[], $2::uuid[]) as ended (tenant_id, reservation_id)
         where r.tenant_id = ended.tenant_id and r.reservation_id = ended.reservation_id and settled_at is null`,
  values: (ended: readonly ReservationKey[]) => [
    ended.map(({ tenantId }) => tenantId),
    ended.map(({ reservationId }) => reservationId),
  ],
});

const batchSize = 5000;

/** Removes some old reservations. Returns whether there may be more. */
export async function deleteOldReservations(tx: PlatformTx): Promise<boolean> {
  const rows = await tx.query({
    name: 'usage.reservations.tidy',
    text: `delete from usage.reservations where ctid in (select ctid from usage.reservations
             where expires_at < now() - interval '1 hour' limit ${batchSize} for update skip locked) returning 1`,
    values: [],
  });
  return rows.length === batchSize;
}
