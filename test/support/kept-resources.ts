import { randomUUID } from 'node:crypto';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import type { Resources } from './access-fixture.ts';

/** A job of the archive and a request to erase somebody, both over. */
export async function createKept(harness: ServiceHarness, tenantId: string): Promise<Resources> {
  const [jobId, requestId] = [randomUUID(), randomUUID()];
  await harness.asOwner(
    `insert into agents.archive_jobs (tenant_id, job_id, kind, state, before) values ($1, $2, 'check', 'done', now())`,
    [tenantId, jobId],
  );
  await harness.asOwner(
    `insert into tenancy.erasures (tenant_id, erasure_id, person_ids, erased_before, state) values ($1, $2, $3, now(), 'done')`,
    [tenantId, requestId, [randomUUID()]],
  );
  return { jobId, requestId };
}
