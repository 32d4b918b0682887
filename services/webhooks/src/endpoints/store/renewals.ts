import type { TenantTx } from '@botyard/shared/db/database';
import { sql } from '@botyard/shared/db/drizzle';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { endpoints } from '../../store/schema.ts';
import { type EndpointRow, endpointLease, isHeld } from './endpoints.ts';

/** Integrations whose secrets may have to be renewed. */
export const renewalQueue: QueueTable<EndpointRow> = {
  ...endpointLease,
  isOfQueue: 'q.sealed_secrets is not null and q.deleted_at is null',
  readyAt: 'q.renewal_due_at',
  set: 'registration_attempts = q.registration_attempts + 1',
};

/** Keeps the renewed secrets, unless another worker has the lease. Returns whether they are kept. */
export async function keepRenewed(
  tx: TenantTx,
  endpoint: EndpointRow,
  renewedSecrets: string,
): Promise<boolean> {
  const kept = await tx.db
    .update(endpoints)
    .set({ renewedSecrets })
    .where(isHeld(endpoint))
    .returning({ integrationId: endpoints.integrationId });
  return kept.length === 1;
}

/** Releases the lease. Secrets that were announced meanwhile stay due. */
export async function settleRenewal(
  tx: TenantTx,
  endpoint: EndpointRow,
  { dueAt, isAnnounced = false }: { dueAt: Date | null; isAnnounced?: boolean },
): Promise<void> {
  const isNewest = sql`${endpoints.revision} = ${endpoint.revision}`;
  await tx.db
    .update(endpoints)
    .set({
      registrationLeaseUntil: null,
      renewalDueAt: sql`case when ${isNewest} then ${dueAt?.toISOString() ?? null}::timestamptz
        else ${endpoints.renewalDueAt} end`,
      ...(isAnnounced ? { renewedSecrets: null, registrationAttempts: 0 } : {}),
    })
    .where(isHeld(endpoint));
}
