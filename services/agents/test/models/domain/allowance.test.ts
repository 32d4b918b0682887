import { eventually } from '@botyard/testing/eventually';
import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

const platformKey = 'sk-platform-0123456789abcdef';
const usedUp = apologyFor('allowance used up');
let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices({ TRIAGE_MODEL: 'openai/small' });
  await services.keys.stop();
  services.keys = await startKeys(services, { OPENAI_API_KEY: platformKey });
  await startAgents(services, { TRIAGE_MODEL: 'openai/small' });
  const agentIds = [await createAgent(services, services.acme, { provider: 'openai', model: 'gpt-test' })];
  bot = await createBot(services, services.acme, { agentIds });
});

beforeEach(async () => {
  await services.harness.settled('usage', 'agents');
  const tables = ['counters', 'log_entries', 'quotas', 'reservations', 'allowances', 'allowance_use'];
  await services.harness.asOwner(tables.map((table) => `delete from usage.${table}`).join(';'));
  await services.harness.asOwner('delete from keys.keys');
});
afterEach(() => {
  services.model.release();
  services.model.clearFaults();
  services.model.forgetKeys();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

async function allow(monthlyTokens: number | null): Promise<void> {
  const { tenantId, operator } = services.acme;
  const path = `/api/bots/superadmin/tenants/${tenantId}/allowance`;
  const { status, text } = await services.tenancy.call('PUT', path, {
    as: operator,
    body: { monthlyTokens },
  });
  if (status !== 200) throw new Error(`no allowance: ${status} ${text}`);
}

const asAdmin = async (path: string) =>
  await services.usage.call('GET', `/api/usage/${bot.tenantId}${path}`, { as: services.acme.admin });
const used = async () => {
  await services.harness.settled('usage', 'agents');
  return (await asAdmin('')).body.platformKeys[0] as { usedTokens: number; reservedTokens: number };
};
const resolve = async () => {
  const path = `/api/keys/${bot.tenantId}/resolve/openai`;
  return (await services.keys.call('GET', path, { as: services.acme.admin })).body;
};
const calls = () => services.model.requests.count;

async function storeKey(apiKey: string): Promise<string> {
  const body = { provider: 'openai', apiKey };
  const path = `/api/keys/${bot.tenantId}`;
  return (await services.keys.call('POST', path, { as: services.acme.admin, body })).body.keyId;
}

test('L-01: used up: one notice per chat and hour, then silence, no model is called, and every route keeps working', async () => {
  await allow(1);
  const [first, second] = [new Chat(services, bot), new Chat(services, bot)];
  await first.say('one');
  expect(await first.answers(1)).toEqual(['re: one']);
  expect((await used()).usedTokens).toBeGreaterThan(0);
  const before = calls();
  for (const text of ['two', 'three', 'four']) await first.say(text);
  await second.say('hello');
  expect(await first.answers(2)).toEqual(['re: one', usedUp]);
  expect(await second.answers(1)).toEqual([usedUp]);
  await Promise.all([first.isIdle(), second.isIdle()]);
  expect(await first.replies()).toHaveLength(2);
  expect(calls()).toBe(before);
  expect((await asAdmin('')).status).toBe(200);
  expect((await asAdmin('/check')).body).toEqual({ allowed: true, exceeded: [] });
});

test("used up, the tenant's own key answers; without one the resolution gives the reason", async () => {
  await allow(0);
  expect(await resolve()).toEqual({
    keyId: null,
    source: 'none',
    considered: [],
    platformKey: { state: 'used_up', reason: expect.stringContaining('used up for this month') },
  });
  const keyId = await storeKey('sk-own-0123456789abcdef');
  expect(await resolve()).toMatchObject({ keyId, source: 'tenant' });
  const chat = new Chat(services, bot);
  await chat.say('one');
  expect(await chat.answers(1)).toEqual(['re: one']);
  expect((await used()).usedTokens).toBe(0);
  await allow(null);
  await services.harness.asOwner('delete from keys.keys');
  expect(await resolve()).toMatchObject({ source: 'platform', platformKey: { state: 'used' } });
});

test("a key of the tenant's that fails is not followed by the platform's when that is used up", async () => {
  const apiKey = 'sk-bad-0123456789abcdef';
  const keyId = await storeKey(apiKey);
  services.model.setKey(apiKey, 'bad');
  await allow(0);
  const chat = new Chat(services, bot);
  await chat.say('one');
  expect(await chat.answers(1)).toEqual([apologyFor('key refused')]);
  await eventually('the key is marked', async () => {
    await services.harness.settled('keys', 'agents');
    const { considered } = await resolve();
    return considered[0]?.keyId === keyId && considered[0].reason.includes('invalid');
  });
  await chat.say('two');
  expect((await chat.answers(2))[1]).toBe(usedUp);
});

test("forty simultaneous calls on two processes use the platform's key at most one time more than allowed", async () => {
  services.model.replyWith(() => 'word '.repeat(200).trim());
  await allow(1000);
  const chats = Array.from({ length: 40 }, () => new Chat(services, bot));
  const before = calls();
  await Promise.all(chats.map((chat) => chat.say('hello')));
  await Promise.all(chats.map((chat) => chat.answers(1, { timeoutMs: 400_000 })));
  const { usedTokens, reservedTokens } = await used();
  const each = usedTokens / (calls() - before);
  expect(usedTokens).toBeGreaterThanOrEqual(1000);
  expect(usedTokens).toBeLessThanOrEqual(1000 + each);
  expect(reservedTokens).toBe(0);
}, 420_000);

test('an answer whose caller has left was paid for, and counts', async () => {
  await allow(1_000_000);
  services.model.hang();
  const chat = new Chat(services, bot);
  const arrived = services.model.nextRequest();
  await chat.say('write me a novel');
  await arrived;
  await chat.say('/stop', { command: { name: 'stop', argument: '' } });
  await chat.answers(1);
  await eventually('it is counted', async () => (await used()).usedTokens >= 4096);
  services.model.release();
  expect((await used()).reservedTokens).toBe(0);
});

describe('a model that is asked on the way', () => {
  const isChoice = ({ messages }: ModelRequest) =>
    contentText(messages[0]!).startsWith('A message has to be given');

  test("counts, too, and is not asked on the platform's key when that is used up", async () => {
    const about = { keywords: ['tea'], provider: 'private-llm' };
    const agentIds = [
      await createAgent(services, services.acme, { ...about, name: 'Green', instructions: 'Green' }),
      await createAgent(services, services.acme, { ...about, name: 'Black', instructions: 'Black' }),
    ];
    const team = await createBot(services, services.acme, { agentIds });
    await services.harness.settled('agents', 'tenancy');
    services.model.replyWith((request) => (isChoice(request) ? '2' : contentText(request.messages[0]!)));
    const choices = () => services.model.requests.all.filter(isChoice).length;
    const chat = new Chat(services, team);
    await chat.say('tea');
    expect(await chat.answers(1)).toEqual(['Black']);
    expect([choices(), (await used()).usedTokens > 0]).toEqual([1, true]);
    await allow(0);
    const other = new Chat(services, team);
    await other.say('tea');
    expect(await other.answers(1)).toEqual(['Green']);
    expect(choices()).toBe(1);
  });
});
