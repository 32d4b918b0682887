import { randomBytes } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';

let services: AgentsServices;
/** A form that the log's redaction doesn't recognize. */
const canary = `Kanarie.${randomBytes(16).toString('hex')}`;

beforeAll(async () => {
  services = await openAgentsServices();
});

afterAll(() => services?.close());

async function storeKey(apiKey: string, scope: Record<string, unknown> = {}): Promise<string> {
  const { keys, acme } = services;
  const body = { provider: 'openai', apiKey, ...scope };
  const answer = await keys.call('POST', `/api/keys/${acme.tenantId}`, { as: acme.admin, body });
  expect(answer.status).toBe(201);
  return answer.body.keyId;
}

async function newChat(people = services.acme) {
  const agentIds = [await createAgent(services, people, { provider: 'openai', model: 'gpt-test' })];
  const bot = await createBot(services, people, { agentIds });
  return { chat: new Chat(services, bot), bot };
}

const turnOf = async (chat: Chat) => {
  const [row] = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 order by id desc',
    [`%.event.${turnCompleted.name}.%.${chat.conversationId}`],
  );
  return turnCompleted.schema.parse(JSON.parse(row!.data));
};

test("the tenant's own key reaches the model as bearer, and the turn records which key it was", async () => {
  const keyId = await storeKey(canary);
  const { chat } = await newChat();
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual(['re: hello']);
  expect(services.model.requests.last?.headers.authorization).toBe(`Bearer ${canary}`);
  expect(services.model.requests.last?.model).toBe('gpt-test');
  expect(await turnOf(chat)).toMatchObject({ keyId, keySource: 'tenant', provider: 'openai' });
});

test('a key of the agent or the bot is used before it, and only there', async () => {
  const { chat, bot } = await newChat();
  const keyId = await storeKey('the-key-of-the-bot', { scopeType: 'bot', scopeId: bot.botId });
  await chat.say('hello');
  await chat.answers(1);
  expect(services.model.requests.last?.headers.authorization).toBe('Bearer the-key-of-the-bot');
  expect(await turnOf(chat)).toMatchObject({ keyId, keySource: 'bot' });
  const { chat: elsewhere } = await newChat();
  await elsewhere.say('hello');
  await elsewhere.answers(1);
  expect(services.model.requests.last?.headers.authorization).toBe(`Bearer ${canary}`);
});

test("another tenant's bot never uses it", async () => {
  const calls = services.model.requests.count;
  const { chat } = await newChat(services.other);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('no key')]);
  expect(services.model.requests.count).toBe(calls);
});

test('S-01: a provider that repeats the key in its refusal puts it into no log, table or reply', async () => {
  services.model.fail('chat', {
    status: 401,
    body: { error: { message: `bad key ${canary}`, type: 'x', param: null, code: null } },
  });
  const { chat } = await newChat();
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('key refused')]);
  await eventually('the failure is in the log', () =>
    services.harness.logLines.some((line) => line.includes('the model gave no answer')),
  );
  const tables = await services.harness.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('agents', 'keys')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => services.harness.asOwner(`select t::text from ${name} t`)),
  );
  const everything = [JSON.stringify(rows), ...services.harness.logLines].join('\n');
  expect(everything).toContain('bad key');
  expect(everything).not.toContain(canary);
});
