import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, question } from '../../agents-services.ts';
import { TestRuns } from '../test-runs.ts';

let services: AgentsServices;
let runs: TestRuns;
const judge = { rubric: 'The answer is polite.', provider: 'private-llm', model: 'judge-model', repeats: 1 };

beforeAll(async () => {
  services = await openAgentsServices();
});
beforeEach(async () => {
  services.model.replyWith((request) => {
    const isToJudge = request.messages.some((message) =>
      contentText(message).includes('You judge an answer'),
    );
    if (!isToJudge) return question(request);
    return question(request).split('The answer to judge:').at(-1)!.includes('please')
      ? 'VERDICT: PASS'
      : 'VERDICT: FAIL';
  });
  runs = await TestRuns.open(services, { judge });
});
afterAll(() => services?.close());

const mark = (runId: string, caseId: string, body: object, as = services.acme.admin) =>
  runs.call('PUT', `/api/evaluations/runs/${runId}/results/${caseId}/mark`, body, as);
const marksOf = (runId: string) =>
  services.harness.asOwner('select from agents.evaluation_marks where run_id = $1', [runId]);
const agreementOf = async (runId: string) =>
  (await runs.ok('GET', `/api/evaluations/runs/${runId}`)).agreement;

async function casesOf(...texts: string[]): Promise<string[]> {
  const caseIds: string[] = [];
  for (const text of texts) caseIds.push(await runs.addCase(text));
  return caseIds;
}

test('people mark answers, change their mind, and the run says how often the judge agrees', async () => {
  const [one, two, three] = await casesOf('one, please', 'two, please', 'three');
  const { runId, agreement } = await runs.run();
  expect(agreement).toEqual({ answers: 0, agreements: 0, kappa: null, isTrusted: false });
  const marked = await mark(runId, one!, { side: 'candidate', mark: 'good' });
  expect(marked).toMatchObject({ status: 200, body: { candidate: { mark: 'good' } } });
  await mark(runId, two!, { side: 'candidate', mark: 'bad' });
  await mark(runId, three!, { side: 'candidate', mark: 'bad' });
  expect(await agreementOf(runId)).toEqual({ answers: 3, agreements: 2, kappa: 0.4, isTrusted: false });
  const results = await runs.ok('GET', `/api/evaluations/runs/${runId}/results`);
  expect(results.map(({ marks }: { marks: number }) => marks)).toEqual([1, 1, 1]);
  await mark(runId, two!, { side: 'candidate', mark: 'good' });
  expect(await agreementOf(runId)).toEqual({ answers: 3, agreements: 3, kappa: 1, isTrusted: true });
  const removed = await mark(runId, three!, { side: 'candidate', mark: null });
  expect(removed.body.candidate.mark).toBeNull();
  expect(await agreementOf(runId)).toMatchObject({ answers: 2, kappa: null });
});

test('marks count for all runs by the same judge, and for no other', async () => {
  const [one, two] = await casesOf('one, please', 'two');
  const first = await runs.run();
  await mark(first.runId, one!, { side: 'candidate', mark: 'good' });
  const second = await runs.run({ against: 1 });
  await mark(second.runId, two!, { side: 'baseline', mark: 'bad' });
  for (const { runId } of [first, second])
    expect(await agreementOf(runId)).toMatchObject({ answers: 2, agreements: 2, kappa: 1 });
  const change = { name: 'Orders', agentId: runs.agentId, mayUsePlatformKey: true };
  const set = `/api/evaluations/sets/${runs.setId}`;
  await runs.ok('PUT', set, { ...change, judge: { ...judge, rubric: 'Says please.' } });
  expect((await runs.run()).agreement).toMatchObject({ answers: 0 });
  expect(await agreementOf(first.runId)).toMatchObject({ answers: 2 });
});

test('an answer is marked only where there is a judge, words, and the tenant is its own', async () => {
  const [caseId] = await casesOf('one');
  const { runId } = await runs.run();
  const good = { side: 'candidate', mark: 'good' };
  expect((await mark(runId, caseId!, { side: 'baseline', mark: 'good' })).status).toBe(409);
  expect((await mark(runId, caseId!, good, services.other.admin)).status).toBe(404);
  expect((await mark(runId, runId, good)).status).toBe(404);
  expect((await mark(runId, caseId!, { side: 'candidate', mark: 'fine' })).status).toBe(400);
  expect((await mark(runId, caseId!, { side: 'candidate' })).status).toBe(400);
  expect(await marksOf(runId)).toEqual([]);
  await runs.addSet({ judge: null });
  const unjudged = await runs.addCase('one');
  const run = await runs.run();
  expect(run.agreement).toBeNull();
  expect((await mark(run.runId, unjudged, good)).status).toBe(409);
});

test('a mark goes with its case', async () => {
  const [caseId] = await casesOf('one');
  const { runId } = await runs.run();
  await mark(runId, caseId!, { side: 'candidate', mark: 'good' });
  expect(await marksOf(runId)).toHaveLength(1);
  await runs.ok('DELETE', `/api/evaluations/sets/${runs.setId}/cases/${caseId}`);
  expect(await marksOf(runId)).toEqual([]);
});
