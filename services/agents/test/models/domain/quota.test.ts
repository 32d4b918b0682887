import { armFailpoints } from '@botyard/shared/service/failpoint';
import { eventually } from '@botyard/testing/eventually';
import type { People } from '@botyard/testing/people';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  question,
  startAgents,
  startUsage,
  type TestBot,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';

let services: AgentsServices;
let bot: TestBot;
let foreign: TestBot;
const exhausted = apologyFor('quota exhausted');

beforeAll(async () => {
  services = await openAgentsServices();
  [bot, foreign] = await Promise.all([
    createBot(services, services.acme),
    createBot(services, services.other),
  ]);
});

beforeEach(async () => {
  await services.harness.settled('usage', 'agents');
  const tables = ['counters', 'log_entries', 'quotas', 'quota_use', 'quota_warnings', 'reservations'];
  await services.harness.asOwner(tables.map((table) => `delete from usage.${table}`).join(';'));
});
afterEach(() => {
  services.model.release();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

async function limit(limits: object, { tenantId, admin }: People = services.acme): Promise<void> {
  const path = `/api/usage/${tenantId}/quota/initialize`;
  const { status, text } = await services.usage.call('POST', path, { as: admin, body: { limits } });
  if (status !== 201) throw new Error(`no quota: ${status} ${text}`);
  await knownToAgents();
}

/**
 * The announcement has reached every instance of agents: nobody remembers that there was no quota. The server hands an
 * event to those who watch it before it confirms the event to its publisher.
 */
async function knownToAgents(): Promise<void> {
  await eventually('usage has published', async () => {
    const waiting = await services.harness.asOwner('select from usage.outbox where published_at is null');
    return waiting.length === 0;
  });
}

/** The first answer in each chat, once all have one. */
async function firstAnswers(chats: readonly Chat[], timeoutMs: number): Promise<string[]> {
  const ids = chats.map(({ conversationId }) => conversationId);
  return await eventually(
    'every chat has an answer',
    async () => {
      const rows = await services.harness.asOwner<{ text: string }>(
        `select text from agents.messages where conversation_id = any ($1) and direction = 'out' and seq = 1`,
        [ids],
      );
      return rows.length === chats.length && rows.map(({ text }) => text);
    },
    { timeoutMs },
  );
}

const calls = () => services.model.requests.count;
const usageOf = async ({ tenantId, admin }: People) =>
  (await services.usage.call('GET', `/api/usage/${tenantId}`, { as: admin })).body.counters;
const counted = () => services.harness.settled('usage', 'agents');

test('a used up quota: one polite sentence per chat and hour, then silence, and the model is not called', async () => {
  await limit({ messages: 1 });
  const [first, second] = [new Chat(services, bot), new Chat(services, bot)];
  await first.say('one');
  expect(await first.answers(1)).toEqual(['re: one']);
  await counted();
  const before = calls();
  for (const text of ['two', 'three', 'four']) await first.say(text);
  await second.say('hello');
  expect(await first.answers(2)).toEqual(['re: one', exhausted]);
  expect(await second.answers(1)).toEqual([exhausted]);
  await Promise.all([first.isIdle(), second.isIdle()]);
  expect(await first.replies()).toHaveLength(2);
  expect((await first.written()).map(({ status }) => status)).toEqual([
    'answered',
    'answered',
    'ignored',
    'ignored',
  ]);
  expect(calls()).toBe(before);
  await services.harness.asOwner(`update agents.turns set created_at = created_at - interval '61 minutes'`);
  await first.say('five');
  expect(await first.answers(3)).toEqual(['re: one', exhausted, exhausted]);
  await counted();
  expect(await usageOf(services.acme)).toMatchObject({ messages: 1 });
});

test('commands are answered without using a quota, and another tenant is not affected', async () => {
  await limit({ messages: 0 });
  const [chat, other] = [new Chat(services, bot), new Chat(services, foreign)];
  await chat.say('/help', { command: { name: 'help', argument: '' } });
  await other.say('hello');
  expect(await other.answers(1)).toEqual(['re: hello']);
  expect((await chat.answers(1))[0]).not.toBe(exhausted);
});

test('after a reset the same chat is answered again', async () => {
  await limit({ messages: 1 });
  const chat = new Chat(services, bot);
  await chat.say('one');
  await chat.answers(1);
  await counted();
  await chat.say('two');
  expect((await chat.answers(2))[1]).toBe(exhausted);
  const path = `/api/usage/${bot.tenantId}/quota/reset`;
  expect((await services.usage.call('POST', path, { as: services.acme.admin })).status).toBe(200);
  await chat.say('three');
  expect((await chat.answers(3))[2]).toBe('re: three');
});

test('two hundred simultaneous messages on two instances use up a quota of exactly 5; the others get a notice', async () => {
  await startAgents(services);
  await limit({ messages: 5 });
  const before = calls();
  const chats = Array.from({ length: 200 }, () => new Chat(services, bot));
  await Promise.all(chats.map((chat) => chat.say('hello')));
  const texts = await firstAnswers(chats, 400_000);
  expect(calls() - before).toBe(5);
  expect(texts.filter((text) => text === 're: hello')).toHaveLength(5);
  expect(texts.filter((text) => text === exhausted)).toHaveLength(195);
  await counted();
  expect(await usageOf(services.acme)).toMatchObject({ messages: 5 });
}, 420_000);

test('tokens, too: at most one answer exceeds the limit, however many run concurrently', async () => {
  services.model.replyWith(() => 'word '.repeat(200).trim());
  await limit({ outputTokens: 1000 });
  const chats = Array.from({ length: 40 }, () => new Chat(services, bot));
  await Promise.all(chats.map((chat) => chat.say('hello')));
  await firstAnswers(chats, 400_000);
  await counted();
  const { outputTokens, messages } = await usageOf(services.acme);
  const each = outputTokens / messages;
  expect(outputTokens).toBeGreaterThanOrEqual(1000);
  expect(outputTokens).toBeLessThanOrEqual(1000 + each);
}, 420_000);

test('a turn that fails after the model answered is tried again with the same reservation, and counts once', async () => {
  await limit({ messages: 1 });
  armFailpoints({ NODE_ENV: 'test', FAILPOINTS: 'agents.turn.before-commit:error' });
  const chat = new Chat(services, bot);
  await chat.say('one');
  expect(await chat.answers(1)).toEqual(['re: one']);
  armFailpoints({ NODE_ENV: 'test' });
  await counted();
  const path = `/api/usage/${bot.tenantId}/quota`;
  const { body } = await services.usage.call('GET', path, { as: services.acme.admin });
  expect(body).toMatchObject({ used: { messages: 1 }, reserved: { messages: 0 } });
});

test('a failed call returns its reservation: a provider that refuses uses nothing up', async () => {
  await limit({ messages: 1 });
  services.model.failNext({ status: 400 });
  const chat = new Chat(services, bot);
  await chat.say('one');
  expect(await chat.answers(1)).toEqual([apologyFor('refused')]);
  await counted();
  await chat.say('two');
  expect((await chat.answers(2))[1]).toBe('re: two');
});

test('while a reservation may still be returned a message waits for it, instead of getting the notice', async () => {
  await limit({ messages: 1 });
  services.model.hang();
  const [holder, waiter] = [new Chat(services, bot), new Chat(services, bot)];
  const arrived = services.model.nextRequest();
  await holder.say('one');
  await arrived;
  let asked = 0;
  services.model.replyWith((request) => (asked++ === 0 ? { status: 400 } : `re: ${question(request)}`));
  await waiter.say('two');
  await eventually('it was tried', async () => {
    const [row] = await services.harness.asOwner<{ fence: string }>(
      'select fence from agents.conversations where conversation_id = $1',
      [waiter.conversationId],
    );
    return Number(row?.fence ?? 0) >= 2;
  });
  expect(await waiter.replies()).toEqual([]);
  services.model.release();
  expect(await holder.answers(1)).toEqual([apologyFor('refused')]);
  expect(await waiter.answers(1)).toEqual(['re: two']);
});

test('a message that has waited for half a minute gets a request to retry, not the quota notice', async () => {
  await limit({ messages: 1 });
  const held = `insert into usage.reservations values ($1, gen_random_uuid(), 1, 1, 1, 0, now() + interval '5 minutes')`;
  await services.harness.asOwner(held, [bot.tenantId]);
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await eventually('it waits', async () => (await chat.written())[0]?.status === 'queued');
  await services.harness.asOwner(
    `update agents.messages set created_at = created_at - interval '31 seconds' where conversation_id = $1`,
    [chat.conversationId],
  );
  expect(await chat.answers(1)).toEqual([apologyFor('rate limited')]);
});

test('while the usage service is down messages wait, unmetered never and without an apology', async () => {
  await limit({ messages: 100 });
  await services.usage.stop();
  const before = calls();
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await eventually('it was tried', async () => {
    const [row] = await services.harness.asOwner<{ fence: string }>(
      'select fence from agents.conversations where conversation_id = $1',
      [chat.conversationId],
    );
    return Number(row?.fence ?? 0) >= 2;
  });
  expect([await chat.replies(), calls()]).toEqual([[], before]);
  services.usage = await startUsage(services);
  expect(await chat.answers(1)).toEqual(['re: hello']);
});
