import { messageDeleted, messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { contentText, type ModelReply, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
} from '../../agents-services.ts';
import { addTool, call } from '../../answering/domain/loop/equipped.ts';
import { deletionOf } from '../../chat-events.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

const api = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  services.agents.call(method, `/api/definitions/agents/${path}`, {
    as: services.acme.admin,
    ...(body ? { body } : {}),
  });

const isCandidate = ({ messages }: ModelRequest) => contentText(messages[0]!).includes('candidate');
const wasCalled = ({ messages }: ModelRequest) => messages.at(-1)?.role === 'tool';

/** A bot whose agent has a shadow on every message, and answers no session with the candidate. */
async function createShadowed(
  replies: (request: ModelRequest) => ModelReply | Promise<ModelReply>,
  body: object = {},
) {
  services.model.replyWith(replies);
  const agentId = await createAgent(services, services.acme, {
    instructions: 'I am the candidate.',
    ...body,
  });
  const bot = await createBot(services, services.acme, { agentIds: [agentId] });
  await api('PUT', agentId, { instructions: 'I am live.' });
  const { status, body: release } = await api('POST', `${agentId}/releases`, {
    version: 1,
    share: 0,
    shadow: 100,
  });
  expect([status, release.share, release.shadow]).toEqual([201, 0, 100]);
  const path = `${agentId}/releases/${release.releaseId}/shadow`;
  const list = async () => (await api('GET', path)).body as Record<string, unknown>[];
  const answers = (count: number) =>
    eventually(`${count} shadow answers`, async () => {
      const shadows = await list();
      return shadows.length >= count && shadows;
    });
  return { agentId, bot, answers, list, releaseId: release.releaseId as string };
}

const usageOf = (agentId: string) =>
  services.harness.asOwner<{ outcome: string }>(
    'select outcome from usage.log_entries where agent_id = $1 order by outcome',
    [agentId],
  );

test('the candidate answers beside the live version: nothing is sent, and it counts as usage of its own kind', async () => {
  const { agentId, bot, answers } = await createShadowed((request) =>
    isCandidate(request) ? 'by the candidate' : 'live',
  );
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const [shadow] = await answers(1);
  expect(shadow).toMatchObject({
    verdict: 'different',
    differences: ['text'],
    question: 'hello',
    liveText: 'live',
    candidateText: 'by the candidate',
    calls: [],
  });
  await chat.isIdle();
  expect((await chat.replies()).map(({ text }) => text)).toEqual(['live']);
  await eventually('both are counted', async () => (await usageOf(agentId)).length === 2);
  expect((await usageOf(agentId)).map(({ outcome }) => outcome)).toEqual(['answered', 'shadow']);
  const [counters] = await services.harness.asOwner(
    'select sum(messages)::int as messages from usage.counters where agent_id = $1',
    [agentId],
  );
  expect(counters).toEqual({ messages: 1 });
});

test('every tool answers from the calls of the live version, and another call is not comparable', async () => {
  const toolId = await addTool(services, { name: 'calculate', kind: 'calculator' });
  let candidateAsks = '1 + 1';
  const { bot, answers } = await createShadowed(
    (request) => {
      if (wasCalled(request)) return 'two';
      return call('calculate', { expression: isCandidate(request) ? candidateAsks : '1 + 1' });
    },
    { toolIds: [toolId] },
  );
  const chat = new Chat(services, bot);
  await chat.say('how much is it?');
  await chat.answers(1);
  const [same] = await answers(1);
  expect(same).toMatchObject({ verdict: 'same', differences: [], calls: [{ isComparable: true }] });
  candidateAsks = '2 + 2';
  await chat.say('and again?');
  await chat.answers(2);
  const [different] = await answers(2);
  expect(different).toMatchObject({
    verdict: 'not_comparable',
    differences: ['calls'],
    calls: [{ name: 'calculate', arguments: { expression: '2 + 2' }, isComparable: false }],
  });
});

test('a candidate that would hand the chat over is only recorded: the bot keeps the chat', async () => {
  const toolId = await addTool(services, { name: 'hand_over', kind: 'hand_over' });
  const { bot, answers } = await createShadowed(
    (request) => (isCandidate(request) ? call('hand_over', { reason: 'too hard' }) : 'live'),
    { toolIds: [toolId] },
  );
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const [shadow] = await answers(1);
  expect(shadow).toMatchObject({ differences: expect.arrayContaining(['handed_over']) });
  await chat.say('still there?');
  expect(await chat.answers(2)).toEqual(['live', 'live']);
});

test('a candidate whose model hangs delays no live answer', async () => {
  const waiting = Promise.withResolvers<string>();
  const { bot, list } = await createShadowed((request) => (isCandidate(request) ? waiting.promise : 'live'));
  const chat = new Chat(services, bot);
  await chat.say('one');
  await chat.answers(1);
  await eventually('the candidate is asked', () => services.model.requests.all.some(isCandidate));
  await chat.say('two');
  expect(await chat.answers(2)).toEqual(['live', 'live']);
  expect(await list()).toEqual([]);
  waiting.resolve('late');
});

test('a message that is deleted takes its shadow along', async () => {
  const { bot, answers, list } = await createShadowed(() => 'same');
  const chat = new Chat(services, bot);
  const message = chat.message('hello', { platformMessageId: '77' });
  await services.harness.publish(messageReceived, message);
  await chat.answers(1);
  await answers(1);
  await services.harness.publish(messageDeleted, deletionOf(message));
  await eventually('the shadow is gone', async () => (await list()).length === 0);
});

test('a withdrawal ends the shadow, and without quota there is none', async () => {
  const { agentId, bot, answers, releaseId } = await createShadowed(() => 'same');
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  await answers(1);
  const { tenantId, admin: as } = services.acme;
  const quota = { limits: { messages: 1 } };
  const path = `/api/usage/${tenantId}/quota`;
  const made = await services.usage.call('POST', `${path}/initialize`, { as, body: quota });
  expect(made.status).toBe(201);
  // Instances that remember that there was no quota hear of it before the event is marked as published.
  await eventually('usage has published', async () => {
    const waiting = await services.harness.asOwner('select from usage.outbox where published_at is null');
    return waiting.length === 0;
  });
  const shadowOnce = async () => {
    const requestCount = services.model.requests.count;
    await services.harness.asOwner(
      `update agents.shadow_answers set verdict = null, ready_at = now(), attempts = 0 where release_id = $1`,
      [releaseId],
    );
    await eventually('the turn stays without a shadow', async () => {
      const rows = await services.harness.asOwner('select from agents.shadow_answers where release_id = $1', [
        releaseId,
      ]);
      return rows.length === 0;
    });
    expect(services.model.requests.count).toBe(requestCount);
  };
  await shadowOnce();
  expect((await services.usage.call('DELETE', path, { as })).status).toBe(204);
  await api('POST', `${agentId}/releases/${releaseId}/withdraw`, {});
  await services.harness.asOwner(
    `insert into agents.shadow_answers (tenant_id, release_id, turn_id)
     select tenant_id, $2, turn_id from agents.turns where agent_id = $1`,
    [agentId, releaseId],
  );
  await shadowOnce();
});

test('a release needs a share or a shadow', async () => {
  const agentId = await createAgent(services, services.acme, { instructions: 'one' });
  await api('PUT', agentId, { instructions: 'two' });
  expect((await api('POST', `${agentId}/releases`, { version: 1, share: 0 })).status).toBe(400);
});
