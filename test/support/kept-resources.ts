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

/** A release of an agent that runs, of the agent's first version. */
export async function createRelease(
  harness: ServiceHarness,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<Resources> {
  const releaseId = randomUUID();
  await harness.asOwner(
    `insert into agents.agent_releases (tenant_id, release_id, agent_id, version, share, steps, rules, created_by)
     values ($1, $2, $3, 1, 5, '[]', '[{"outcome": "failed", "worse": "more"}]', $2)`,
    [tenantId, releaseId, id],
  );
  return { releaseId };
}

/** A run of a test set that has ended, with the result of its case. */
async function createRun(
  harness: ServiceHarness,
  { setId, caseId, agentId }: { setId: string; caseId: string; agentId: string },
): Promise<Resources> {
  const [run] = await harness.asOwner<{ run_id: string }>(
    `insert into agents.evaluation_runs (tenant_id, run_id, set_id, agent_id, state, documents, may_use_platform_key,
       judge, candidate, candidate_version, last_case_id, total, ready_at)
     select tenant_id, gen_random_uuid(), set_id, $3, 'done', 'recorded', false,
       '{ "rubric": "Polite.", "provider": "openai", "model": "gpt-5-mini", "repeats": 1 }',
       '{ "version": 1, "isDraft": false }', 1, $2, 1, null
     from agents.evaluation_sets where set_id = $1 returning run_id`,
    [setId, caseId, agentId],
  );
  const answer = {
    turnId: randomUUID(),
    passed: true,
    faults: [],
    text: 'Hello',
    failure: null,
    handover: null,
    approvals: [],
    toolCalls: [],
    inputTokens: 1,
    outputTokens: 1,
    durationMs: 1,
    judgement: null,
  };
  await harness.asOwner(
    `insert into agents.evaluation_results (tenant_id, run_id, case_id, passed, candidate)
     select tenant_id, run_id, $2, true, $3 from agents.evaluation_runs where run_id = $1`,
    [run!.run_id, caseId, JSON.stringify(answer)],
  );
  return { runId: run!.run_id };
}

/** A test set with a case and a run, of an agent that outlives the walk: a set is deleted with its agent. */
export async function createEvaluation(
  { agents, harness }: { agents: TestService; harness: ServiceHarness },
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
  return { setId, caseId, ...(await createRun(harness, { setId, caseId, agentId })) };
}
