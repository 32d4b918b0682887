import type { PlatformName } from '@botyard/contracts/http/platform';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, sql } from '@botyard/shared/db/drizzle';
import { pick } from '@botyard/shared/db/typed-sql';
import { endpoints } from '../../store/schema.ts';

const held = pick(
  endpoints,
  'tenantId',
  'integrationId',
  'botId',
  'integrationType',
  'revision',
  'pollLeaseUntil',
);

/** An integration that the process with its lease polls for updates. */
export type Poll = Pick<typeof endpoints.$inferSelect, keyof typeof held>;

export const pollLeaseSeconds = 20;
const leaseUntil = sql`now() + make_interval(secs => ${pollLeaseSeconds})`;

/** Claims registered integrations that no process polls. */
export async function claimPolls(
  tx: PlatformTx,
  platforms: readonly PlatformName[],
  limit: number,
): Promise<Poll[]> {
  return await tx.db
    .update(endpoints)
    .set({ pollLeaseUntil: leaseUntil })
    .where(
      sql`${endpoints.integrationId} in (select integration_id from webhooks.endpoints
          where integration_type = any (${sql.param([...platforms])}::text[]) and deleted_at is null
            and registration_due_at is null and registered_fingerprint is not null
            and (poll_lease_until is null or poll_lease_until <= now())
          order by integration_id limit ${limit} for update skip locked)`,
    )
    .returning(held);
}

/** Returns `undefined` when the lease is lost or the integration was changed: then it has to be claimed again. */
export async function renewPoll(tx: TenantTx, poll: Poll): Promise<Poll | undefined> {
  const [row] = await tx.db
    .update(endpoints)
    .set({ pollLeaseUntil: leaseUntil })
    .where(and(isHeld(poll), eq(endpoints.revision, poll.revision), isNull(endpoints.deletedAt)))
    .returning(held);
  return row;
}

export async function releasePoll(tx: TenantTx, poll: Poll): Promise<void> {
  await tx.db.update(endpoints).set({ pollLeaseUntil: null }).where(isHeld(poll));
}

/** The lease is also the fence: a process that lost it neither renews nor releases it. */
const isHeld = ({ tenantId, integrationId, pollLeaseUntil }: Poll) =>
  and(
    eq(endpoints.tenantId, tenantId),
    eq(endpoints.integrationId, integrationId),
    eq(endpoints.pollLeaseUntil, pollLeaseUntil!),
  );
