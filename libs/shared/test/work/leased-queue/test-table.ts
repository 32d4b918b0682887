import { moment, number, orNull, text } from '@botyard/shared/db/expressions';
import { columns, type RowOf } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import type { ServiceHarness } from '@botyard/testing/service-harness';

const claimed = columns({
  tenantId: text('q.tenant_id'),
  jobId: number('q.job_id'),
  fence: number('q.fence'),
  leaseUntil: orNull(moment('q.lease_until')),
});
export type TestJob = RowOf<typeof claimed>;

export const testTable: QueueTable<TestJob> = {
  table: 'agents.test_jobs',
  key: ['tenantId', 'jobId'],
  columns: claimed,
  leaseSeconds: 1,
  fence: 'fence',
};

export const createTestTable = (harness: ServiceHarness) =>
  harness.asOwner(`create table agents.test_jobs (tenant_id uuid, job_id int, ready_at timestamptz,
      lease_until timestamptz(3), fence bigint not null default 0, primary key (tenant_id, job_id));
    create index on agents.test_jobs (tenant_id, ready_at) where ready_at is not null;
    grant select, update, delete on agents.test_jobs to botyard_agents`);

/** Adds so many due jobs of a tenant, the first one has waited longest. */
export const addJobs = (
  harness: ServiceHarness,
  tenantId: string,
  count: number,
  { readyAt = "now() - interval '1 day'", leaseUntil = 'null' } = {},
) =>
  harness.asOwner(
    `insert into agents.test_jobs (tenant_id, job_id, ready_at, lease_until)
     select $1, n, ${readyAt} + n * interval '1 second', ${leaseUntil} from generate_series(1, $2::int) n`,
    [tenantId, count],
  );

/** The numbers of a tenant's jobs, in their order. */
export const jobIdsOf = (jobs: readonly TestJob[], tenantId: string): number[] =>
  jobs
    .filter((job) => job.tenantId === tenantId)
    .map(({ jobId }) => jobId)
    .toSorted((left, right) => left - right);
