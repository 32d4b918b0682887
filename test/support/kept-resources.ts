import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import type { ServiceHarness, TestService } from '@botyard/testing/service-harness';
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

/** A test set with a case, of an agent that outlives the walk: a set is deleted with its agent. */
export async function createEvaluation(
  agents: TestService,
  { admin, agentId }: { admin: Identity; agentId: string },
): Promise<Resources> {
  const create = async (path: string, body: object) => {
    const { body: made, status, text } = await agents.call('POST', path, { as: admin, body });
    if (status !== 201) throw new Error(`POST ${path} answered ${status} ${text}`);
    return made;
  };
  const sets = '/api/evaluations/sets';
  const { setId } = await create(sets, { name: 'Orders', agentId });
  const messages = [{ role: 'user', text: 'Hello' }];
  const { caseId } = await create(`${sets}/${setId}/cases`, { name: 'Hello', messages });
  return { setId, caseId };
}
