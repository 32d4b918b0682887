import { randomUUID } from 'node:crypto';
import { evaluationChanged } from '@botyard/contracts/events/agents-evaluations';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, question, startAgents } from '../../agents-services.ts';
import { call } from '../../answering/domain/loop/equipped.ts';
import { TestRuns } from '../test-runs.ts';

let services: AgentsServices;
beforeAll(async () => {
  services = await openAgentsServices();
});
afterEach(() => {
  services.model.release();
  services.model.clearFaults();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

const repeats = (text: string) => [{ type: 'contains', text }];

test('a draft is compared with the live version, case by case, and says the same twice', async () => {
  const runs = await TestRuns.open(services);
  const [both, better, worse] = [
    await runs.addCase('one', { assertions: repeats('re: one') }),
    await runs.addCase('two', { assertions: repeats('politely') }),
    await runs.addCase('three', { assertions: [{ type: 'not_contains', text: 'politely' }] }),
  ];
  await runs.ok('PUT', `/api/definitions/agents/${runs.agentId}/draft`, {
    base: 2,
    instructions: 'Be polite.',
  });
  services.model.replyWith((request) => {
    const isDraft = request.messages.some((message) => contentText(message).includes('Be polite.'));
    return `re: ${question(request)}${isDraft ? ', politely' : ''}`;
  });
  const [first, second] = [await runs.run({ draft: true }), await runs.run({ draft: true })];
  const figures = { state: 'done', done: 3, total: 3, passed: 2, failed: 1, better: 1, worse: 1 };
  expect(first).toMatchObject({
    ...figures,
    candidate: { version: 2, isDraft: true },
    baseline: { version: 2, isDraft: false },
  });
  expect(second).toMatchObject(figures);
  const results = await runs.ok('GET', `/api/evaluations/runs/${first.runId}/results`);
  const unjudged = { isUndecided: false, marks: 0 };
  expect(results).toEqual([
    { ...unjudged, caseId: worse, name: 'three', verdict: 'worse', passed: false, baselinePassed: true },
    { ...unjudged, caseId: better, name: 'two', verdict: 'better', passed: true, baselinePassed: false },
    { ...unjudged, caseId: both, name: 'one', verdict: 'same', passed: true, baselinePassed: true },
  ]);
  const worseResults = await runs.ok('GET', `/api/evaluations/runs/${first.runId}/results?verdict=worse`);
  expect(worseResults).toEqual([expect.objectContaining({ caseId: worse })]);
  const tokensOf = async (runId: string) => {
    const { candidate, baseline } = await runs.result(runId, worse);
    const { inputTokens, outputTokens, text, faults } = candidate;
    return { inputTokens, outputTokens, text, faults, baseline: baseline.text };
  };
  expect(await tokensOf(first.runId)).toMatchObject({
    text: 're: three, politely',
    baseline: 're: three',
    faults: [{ assertion: 0, message: 'the answer contains "politely"' }],
  });
  expect(await tokensOf(second.runId)).toEqual(await tokensOf(first.runId));
});

test('tools answer from the recording, and a call that it does not have fails the case', async () => {
  const runs = await TestRuns.open(services);
  const sourceId = randomUUID();
  const caseId = await runs.addCase('where is it', {
    recording: {
      tools: [
        { name: 'find_order', arguments: { url: 'https://shop.example/7', b: [1] }, result: 'on its way' },
      ],
      passages: [{ sourceId, title: 'Delivery', text: 'Parcels take two days.' }],
      now: '2026-01-02T10:00:00Z',
    },
    assertions: [{ type: 'cites', sourceId }],
  });
  const heard: string[] = [];
  const hear = (request: Parameters<typeof question>[0]) => {
    heard.push(question(request));
    return 'done';
  };
  services.model.replyInTurn(
    call('find_order', { b: [1], url: 'https://shop.example/7' }),
    (request) => {
      heard.push(question(request));
      return call('search', { query: 'delivery' });
    },
    (request) => {
      heard.push(question(request));
      return call('time', {});
    },
    hear,
  );
  expect(await runs.faultsOf(caseId)).toEqual([]);
  expect(heard[0]).toContain('on its way');
  expect(heard[1]).toContain('Parcels take two days.');
  expect(heard[2]).toContain('2026-01-02T10:00:00.000Z');
  services.model.replyInTurn(call('find_order', { url: 'https://shop.example/8' }), 'done');
  expect(await runs.faultsOf(caseId)).toEqual([
    'not recorded: find_order with {"url":"https://shop.example/8"}',
    'no passage of the document was used',
  ]);
});

test('an approval is recorded as asked for and ends the answer; a hand-over does, too', async () => {
  const runs = await TestRuns.open(services);
  const tools = [{ name: 'find_order', arguments: { url: 'x' }, outcome: 'waiting', result: 'waits' }];
  const caseId = await runs.addCase('order it', {
    recording: { tools },
    assertions: [{ type: 'approval_asked', name: 'find_order' }],
  });
  services.model.replyInTurn(call('find_order', { url: 'x' }));
  expect(await runs.faultsOf(caseId)).toEqual([]);
  const tickets = 'select from agents.tool_tickets where tenant_id = $1';
  expect(await services.harness.asOwner(tickets, [services.acme.tenantId])).toEqual([]);
  await runs.addSet();
  const other = await runs.addCase('a person', { assertions: [{ type: 'handed_over' }] });
  services.model.replyInTurn(call('hand_over', { reason: 'wants a person' }));
  expect(await runs.faultsOf(other)).toEqual([]);
});

test('each answer counts as use of the kind `evaluation`, and as no message', async () => {
  const runs = await TestRuns.open(services);
  await runs.addCase('count me');
  await runs.run();
  await services.harness.settled('usage', 'agents');
  const { admin: as, tenantId } = services.acme;
  const usage = async (path: string) =>
    (await services.usage.call('GET', `/api/usage/${tenantId}${path}`, { as })).body;
  const entries = await usage(`/logs?agentId=${runs.agentId}`);
  expect(entries).toMatchObject([
    { outcome: 'evaluation', botId: null, conversationId: null, keySource: 'platform' },
  ]);
  expect(entries[0].inputTokens).toBeGreaterThan(0);
  const { series } = await usage('?groupBy=agent');
  const counters = expect.objectContaining({ messages: 0, inputTokens: entries[0].inputTokens });
  expect(series).toContainEqual({ agentId: runs.agentId, counters });
});

test('a tenant has one run at a time, which can be stopped, and announces its progress', async () => {
  const runs = await TestRuns.open(services);
  await runs.addCase('hello');
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  const { status, body: begun } = await runs.begin();
  expect([status, begun]).toEqual([
    202,
    { runId: begun.runId, setId: runs.setId, state: 'queued', done: 0, total: 1 },
  ]);
  await nextRequest;
  expect((await runs.begin()).status).toBe(409);
  const stop = `/api/evaluations/runs/${begun.runId}/stop`;
  expect((await runs.call('POST', stop)).body).toMatchObject({ state: 'stopped', done: 0 });
  expect((await runs.call('POST', stop)).status).toBe(409);
  services.model.release();
  expect(await runs.run()).toMatchObject({ state: 'done', passed: 1 });
  expect(await runs.ok('GET', `/api/evaluations/runs/${begun.runId}/results`)).toEqual([]);
  const events = await services.harness.asOwner<{ data: string }>(
    `select data from agents.outbox where subject like $1 and data like '%' || $2 || '%' order by id`,
    [`%.event.${evaluationChanged.name}.%`, begun.runId],
  );
  expect(events.map(({ data }) => JSON.parse(data).state)).toEqual(['queued', 'stopped']);
});

test("the platform's key is used only where an admin allows it", async () => {
  const runs = await TestRuns.open(services, { mayUsePlatformKey: false });
  await runs.addCase('hello');
  const { status, body } = await runs.begin();
  expect([status, body.error]).toEqual([422, expect.stringContaining("the platform's key")]);
});

test('a run without cases, of a version or a draft that is not there, or of another tenant is refused', async () => {
  const runs = await TestRuns.open(services);
  expect((await runs.begin()).status).toBe(422);
  await runs.addCase('hello');
  expect((await runs.begin({ version: 99 })).status).toBe(404);
  expect((await runs.begin({ against: 99 })).status).toBe(404);
  expect((await runs.begin({ draft: true })).status).toBe(404);
  expect((await runs.begin({ draft: true, version: 1 })).status).toBe(400);
  const { runId } = await runs.run();
  const foreign = services.other.admin;
  for (const path of [`/${runId}`, `/${runId}/results`])
    expect((await runs.call('GET', `/api/evaluations/runs${path}`, undefined, foreign)).status).toBe(404);
  expect((await runs.call('POST', '/api/evaluations/runs', { setId: runs.setId }, foreign)).status).toBe(404);
  expect((await runs.call('GET', '/api/evaluations/runs', undefined, foreign)).body).toEqual([]);
});

test('a run goes on in another process where the first one has left it, and no case has two results', async () => {
  const runs = await TestRuns.open(services);
  for (let index = 0; index < 8; index += 1) await runs.addCase(`case ${index}`);
  let answered = 0;
  const later = Promise.withResolvers<void>();
  services.model.replyWith(async (request) => {
    answered += 1;
    if (answered > 4) await later.promise;
    return `re: ${question(request)}`;
  });
  const { body: begun } = await runs.begin();
  await eventually('some cases are answered', async () => {
    return (await runs.ok('GET', `/api/evaluations/runs/${begun.runId}`)).done >= 4;
  });
  await services.agents.stop();
  later.resolve();
  services.agents = await startAgents(services);
  expect(await runs.isOver(begun.runId)).toMatchObject({ state: 'done', done: 8, passed: 8 });
});

test('a case that is deleted in the middle of a run leaves no result', async () => {
  const runs = await TestRuns.open(services);
  const caseId = await runs.addCase('secret');
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  const { body: begun } = await runs.begin();
  await nextRequest;
  await runs.ok('DELETE', `/api/evaluations/sets/${runs.setId}/cases/${caseId}`);
  services.model.release();
  expect(await runs.isOver(begun.runId)).toMatchObject({ state: 'done', passed: 0, failed: 0 });
  const kept = 'select from agents.evaluation_results where run_id = $1';
  expect(await services.harness.asOwner(kept, [begun.runId])).toEqual([]);
});

test('a model that fails half of the time still answers every case', async () => {
  const runs = await TestRuns.open(services);
  for (let index = 0; index < 6; index += 1) await runs.addCase(`case ${index}`);
  let asked = 0;
  services.model.replyWith((request) => {
    asked += 1;
    return asked % 2 === 1 ? { status: 503 } : `re: ${question(request)}`;
  });
  expect(await runs.run()).toMatchObject({ state: 'done', done: 6, passed: 6 });
});

test('a run whose key is refused ends with the reason, and answers no further case', async () => {
  const runs = await TestRuns.open(services);
  for (let index = 0; index < 6; index += 1) await runs.addCase(`case ${index}`);
  services.model.replyWith(() => ({ status: 401 }));
  const run = await runs.run();
  expect(run).toMatchObject({ state: 'failed', passed: 0, failed: 0 });
  expect(run.lastError).toContain('key');
});
