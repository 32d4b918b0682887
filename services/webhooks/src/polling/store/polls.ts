import type { PlatformName } from '@botyard/contracts/http/platform';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { endpoints } from '../../store/schema.ts';

const claimed = columns(
  pick(
    alias(endpoints, 'q'),
    'tenantId',
    'integrationId',
    'botId',
    'integrationType',
    'revision',
    'pollLeaseUntil',
  ),
);

/** An integration that this process polls for updates, until its lease ends or it is changed. */
export type Poll = RowOf<typeof claimed>;

export const pollLeaseSeconds = 20;

/** Registered integrations of these platforms. The lease is also the fence. */
export const pollQueue = (platforms: readonly PlatformName[]): QueueTable<Poll> => ({
  table: 'webhooks.endpoints',
  key: ['tenantId', 'integrationId', 'revision'],
  columns: claimed,
  isOfQueue: `q.integration_type = any ('{${platforms.join()}}') and q.deleted_at is null
    and q.registration_due_at is null and q.registered_fingerprint is not null`,
  readyAt: "coalesce(q.poll_lease_until, '-infinity')",
  leaseUntil: 'poll_lease_until',
  leaseSeconds: pollLeaseSeconds,
  fence: 'pollLeaseUntil',
});

/** Allows the next process to start before the lease ends. Does nothing if another process has the lease. */
export const releasePoll = preparedStatement({
  name: 'webhooks.endpoints.release_poll',
  text: `update webhooks.endpoints set poll_lease_until = null
         where tenant_id = $1 and integration_id = $2 and poll_lease_until = $3`,
  values: (poll: Poll) => {
    const { tenantId, integrationId, pollLeaseUntil } = poll;
    return [tenantId, integrationId, pollLeaseUntil];
  },
});
