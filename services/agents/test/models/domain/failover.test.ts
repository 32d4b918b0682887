import { turnCompleted } from '@botyard/contracts/events/agents';
import { keyInvalidated } from '@botyard/contracts/events/keys';
import { eventually } from '@botyard/testing/eventually';
import type { KeyState } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  question,
  startAgents,
  startKeys,
  type TestBot,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';

let services: AgentsServices;
let bot: TestBot;
let made = 0;

beforeAll(async () => {
  services = await openAgentsServices();
  const agentIds = [await createAgent(services, services.acme, { provider: 'openai', model: 'gpt-test' })];
  bot = await createBot(services, services.acme, { agentIds });
});

beforeEach(async () => {
  await services.harness.settled('keys', 'agents');
  await services.harness.asOwner('delete from keys.keys');
  services.model.clearFaults();
  services.model.forgetKeys();
  services.model.calls.clear();
});

afterAll(() => services?.close());

interface TestKey {
  keyId: string;
  apiKey: string;
}

const scopes = {
  tenant: () => ({}),
  bot: () => ({ scopeType: 'bot', scopeId: bot.botId }),
  agent: () => ({ scopeType: 'agent', scopeId: bot.agentIds[0] }),
};

async function newKey(
  state: KeyState,
  { scope = 'tenant', retryAfter }: { scope?: keyof typeof scopes; retryAfter?: number } = {},
): Promise<TestKey> {
  const { keys, acme, model } = services;
  made += 1;
  const apiKey = `sk-made-${made}-0123456789abcdef`;
  const body = { provider: 'openai', apiKey, ...scopes[scope]() };
  const answer = await keys.call('POST', `/api/keys/${acme.tenantId}`, { as: acme.admin, body });
  expect(answer.status).toBe(201);
  model.setKey(apiKey, state, retryAfter === undefined ? {} : { retryAfter });
  return { keyId: answer.body.keyId, apiKey };
}

/** The keys that the provider saw, in order. */
const shown = () =>
  services.model.calls
    .filter(({ operation }) => operation === 'chat')
    .map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));

async function keyRow({ keyId }: TestKey) {
  const { keys, acme } = services;
  await services.harness.settled('keys', 'agents');
  const { body } = await keys.call('GET', `/api/keys/${acme.tenantId}?limit=500`, { as: acme.admin });
  return body.find((key: { keyId: string }) => key.keyId === keyId);
}

async function turnOf(chat: Chat) {
  const { harness } = services;
  const events = await harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1',
    [`%.event.${turnCompleted.name}.%.${chat.conversationId}`],
  );
  const rows = await harness.asOwner<{ key_id: string | null; key_source: string; failure: string | null }>(
    'select key_id, key_source, failure from agents.turns where conversation_id = $1',
    [chat.conversationId],
  );
  expect([events.length, rows.length, (await chat.replies()).length]).toEqual([1, 1, 1]);
  return { event: turnCompleted.schema.parse(JSON.parse(events[0]!.data)), row: rows[0]! };
}

/** One message, and the one reply to it. */
async function ask(asked = bot): Promise<{ chat: Chat; reply: string }> {
  const chat = new Chat(services, asked);
  await chat.say('hello');
  const [reply = ''] = await chat.answers(1);
  await chat.isIdle();
  return { chat, reply };
}

describe('a key that the provider refuses or limits', () => {
  test('401: both refused keys are marked and reported, the third in order answers, once, and is counted', async () => {
    const good = await newKey('good');
    const ofBot = await newKey('bad', { scope: 'bot' });
    const ofAgent = await newKey('bad', { scope: 'agent' });
    const { chat, reply } = await ask();
    expect(reply).toBe('re: hello');
    expect(shown()).toEqual([ofAgent.apiKey, ofBot.apiKey, good.apiKey]);
    const { event, row } = await turnOf(chat);
    expect(event).toMatchObject({ keyId: good.keyId, keySource: 'tenant', outcome: 'answered' });
    expect(event.inputTokens).toBeGreaterThan(0);
    expect(row).toEqual({ key_id: good.keyId, key_source: 'tenant', failure: null });
    for (const key of [ofBot, ofAgent])
      expect(await keyRow(key)).toMatchObject({ status: 'invalid', statusReason: 'provider' });
    expect(await keyRow(good)).toMatchObject({ status: 'active', coolUntil: null });
    const events = await services.harness.asOwner<{ data: string }>(
      'select data from keys.outbox where subject like $1',
      [`%.event.${keyInvalidated.name}.%`],
    );
    const keyIds = events.map(({ data }) => keyInvalidated.schema.parse(JSON.parse(data)).keyId);
    expect(keyIds.filter((keyId) => [ofBot.keyId, ofAgent.keyId].includes(keyId)).sort()).toEqual(
      [ofBot.keyId, ofAgent.keyId].sort(),
    );
    services.model.calls.clear();
    await ask();
    expect(shown()).toEqual([good.apiKey]);
  });

  test('429: the limited key rests as long as requested, and the next one answers immediately', async () => {
    const good = await newKey('good');
    const limited = await newKey('rate limited', { retryAfter: 25 });
    const { chat } = await ask();
    expect(shown()).toEqual([limited.apiKey, good.apiKey]);
    expect((await turnOf(chat)).row.key_id).toBe(good.keyId);
    const row = await keyRow(limited);
    expect(row.status).toBe('active');
    const restMs = Date.parse(row.coolUntil) - Date.now();
    expect(restMs).toBeGreaterThan(10_000);
    expect(restMs).toBeLessThanOrEqual(25_000);
    services.model.calls.clear();
    await ask();
    expect(shown()).toEqual([good.apiKey]);
  });

  test.each<[KeyState, boolean]>([
    ['forbidden', false],
    ['without credit', true],
  ])('%s: nothing is marked invalid, and the next one answers', async (state, rests) => {
    const good = await newKey('good');
    const failing = await newKey(state);
    expect((await ask()).reply).toBe('re: hello');
    expect(shown()).toEqual([failing.apiKey, good.apiKey]);
    expect(await keyRow(failing)).toMatchObject({
      status: 'active',
      coolUntil: rests ? expect.any(String) : null,
    });
  });

  test('many simultaneous chats: each gets one answer, and the key is marked once', async () => {
    await newKey('good');
    const bad = await newKey('bad');
    const chats = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(chats.map(({ reply }) => reply)).toEqual(chats.map(() => 're: hello'));
    expect(await keyRow(bad)).toMatchObject({ status: 'invalid' });
    const events = await services.harness.asOwner(
      'select from keys.outbox where data like $1 and subject like $2',
      [`%${bad.keyId}%`, `%.event.${keyInvalidated.name}.%`],
    );
    expect(events).toHaveLength(1);
  });
});

describe('when no key answers there is one apology', () => {
  test('after 5 keys at most', async () => {
    for (let count = 0; count < 7; count += 1) await newKey('bad');
    const { chat, reply } = await ask();
    expect(reply).toBe(apologyFor('key refused'));
    expect(shown()).toHaveLength(5);
    expect((await turnOf(chat)).row.failure).toBe('key refused');
  });

  test('for a single limited key; while it rests the provider is not asked', async () => {
    const only = await newKey('rate limited', { retryAfter: 60 });
    expect((await ask()).reply).toBe(apologyFor('rate limited'));
    expect(shown()).toEqual([only.apiKey]);
    expect(await keyRow(only)).toMatchObject({ status: 'active', coolUntil: expect.any(String) });
    expect((await ask()).reply).toBe(apologyFor('rate limited'));
    expect(shown()).toEqual([only.apiKey]);
  });

  test('but a single key with a very short limit is retried, and does not rest', async () => {
    const only = await newKey('good');
    services.model.failNext({ status: 429, retryAfter: 0, times: 2 });
    expect((await ask()).reply).toBe('re: hello');
    expect(shown()).toHaveLength(3);
    expect(await keyRow(only)).toMatchObject({ coolUntil: null });
  });

  test('for a fault that is not about the key: no other key is tried', async () => {
    await newKey('good');
    const first = await newKey('good');
    services.model.fail('chat', { status: 500, headers: { 'retry-after-ms': '1' }, times: 3 });
    expect((await ask()).reply).toBe(apologyFor('unavailable'));
    expect(new Set(shown())).toEqual(new Set([first.apiKey]));
  });

  test("for a wait that exceeds the message's time: immediately", async () => {
    await newKey('rate limited', { retryAfter: 60 });
    expect((await ask()).reply).toBe(apologyFor('rate limited'));
    expect(shown()).toHaveLength(1);
  });
});

describe('F-40: if a key or provider is free again in time, the turn is postponed and there is no apology', () => {
  const heldAndWaiting = async ({ conversationId }: Chat) => {
    const [row] = await services.harness.asOwner<{ held: boolean; waits: boolean }>(
      `select lease_until is not null as held, tried_since is not null and ready_at > now() as waits
       from agents.conversations where conversation_id = $1`,
      [conversationId],
    );
    return row;
  };

  test('a limited key: the conversation is not leased meanwhile, and its messages are answered in order', async () => {
    const only = await newKey('rate limited', { retryAfter: 3 });
    const chat = new Chat(services, bot);
    await chat.say('first');
    await eventually('it waits, and nobody holds it', async () => {
      const row = await heldAndWaiting(chat);
      return row?.waits === true && !row.held;
    });
    await chat.say('second');
    services.model.setKey(only.apiKey, 'good');
    expect(await chat.answers(2)).toEqual(['re: first', 're: second']);
    await chat.isIdle();
    const rows = await services.harness.asOwner(
      'select failures, tried_since from agents.conversations where conversation_id = $1',
      [chat.conversationId],
    );
    expect(rows).toEqual([{ failures: 0, tried_since: null }]);
  });

  test('a message has one deadline, over all postponements: after that it gets its apology', async () => {
    const only = await newKey('rate limited', { retryAfter: 2 });
    const { agentIds } = bot;
    const hasty = await createBot(services, services.acme, { agentIds, answerDeadlineSeconds: 10 });
    expect((await ask(hasty)).reply).toBe(apologyFor('rate limited'));
    expect(shown().filter((key) => key === only.apiKey).length).toBeGreaterThan(1);
  });

  test('the limit of one model does not apply to another model with the same key', async () => {
    await newKey('good');
    const limited = 'limited-model';
    services.model.replyWith((request) =>
      request.model === limited ? { status: 429, retryAfter: 60 } : `re: ${question(request)}`,
    );
    const agentIds = [await createAgent(services, services.acme, { provider: 'openai', model: limited })];
    const other = new Chat(services, await createBot(services, services.acme, { agentIds }));
    await other.say('hello');
    expect(await other.answers(1)).toEqual([apologyFor('rate limited')]);
    await services.harness.settled('keys', 'agents');
    expect((await ask()).reply).toBe('re: hello');
    const requestsBefore = services.model.requests.count;
    await other.say('and now?');
    expect((await other.answers(2))[1]).toBe(apologyFor('rate limited'));
    expect(services.model.requests.count).toBe(requestsBefore);
    services.model.replyWith((request) => `re: ${question(request)}`);
  });
});

describe("the platform's own key", () => {
  const platformKey = 'sk-platform-0123456789abcdef';

  test('is used last; when it fails, the operator can read it, it is skipped for a while, and no tenant sees it', async () => {
    const { harness, model } = services;
    await services.keys.stop();
    services.keys = await startKeys(services, { OPENAI_API_KEY: platformKey });
    const own = await newKey('bad');
    model.setKey(platformKey, 'bad');
    const { chat, reply } = await ask();
    expect(reply).toBe(apologyFor('key refused'));
    expect(shown()).toEqual([own.apiKey, platformKey]);
    expect((await turnOf(chat)).row).toMatchObject({ key_id: null, key_source: 'platform' });
    await eventually('the operator can read it', () =>
      harness.logLines.some((line) => line.includes("the platform's own key for a provider fails")),
    );
    expect((await ask()).reply).toBe(apologyFor('key refused'));
    expect(shown()).toEqual([own.apiKey, platformKey]);
    // Another process has seen nothing of it yet.
    await services.agents.stop();
    services.agents = await startAgents(services);
    model.setKey(platformKey, 'good');
    const { chat: later } = await ask();
    expect((await turnOf(later)).event).toMatchObject({
      keyId: null,
      keySource: 'platform',
      outcome: 'answered',
    });
  });
});
