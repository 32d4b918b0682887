import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { personIdOf } from '../../../src/conversations/store/people.ts';
import { enqueueMessages } from '../../../src/intake/store/enqueue.ts';

let harness: ServiceHarness;
let database: Database;
const [tenantId, botId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
});
beforeEach(() =>
  harness.asOwner('truncate agents.conversations, agents.messages, agents.people, agents.quotes'),
);
afterAll(() => harness?.close());

const anna = { platformUserId: '1', name: 'Anna', username: 'anna' };
const quote = { kind: 'quote', text: 'Refunds take a week.' } as const;
/** Every position is a second later than the one before. */
const message = (conversationId: string, seq: number, change: Partial<InboundMessage> = {}) => ({
  ...firstSample(messageReceived),
  tenantId,
  botId,
  conversationId,
  seq,
  sender: anna,
  receivedAt: new Date(1_795_200_000_000 + seq * 1000).toISOString(),
  ...change,
});
const enqueue = (...messages: InboundMessage[]) =>
  withTenant(database, [...new Set(messages.map((one) => one.tenantId))], (tx) =>
    enqueueMessages(tx, messages),
  );
const people = () =>
  harness.asOwner<{ conversation_id: string; person_id: string; name: string; username: string | null }>(
    `select conversation_id, person_id, name, username, first_seen_at, last_seen_at from agents.people order by name`,
  );
const quotes = () =>
  harness.asOwner<{ seq: number }>('select *, seq::int as seq from agents.quotes order by quotes.seq');

test('a person occurs once in a conversation, with the name in their newest message, in any order of arrival', async () => {
  const id = randomUUID();
  await enqueue(
    message(id, 3, { sender: { platformUserId: '1', name: 'Anna K.' } }),
    message(id, 2),
    message(id, 1, { sender: { platformUserId: '2', name: 'Ravi' } }),
  );
  await enqueue(message(id, 2, { sender: { platformUserId: '1', name: 'An older name' } }));
  expect(await people()).toMatchObject([
    { name: 'Anna K.', username: null, last_seen_at: new Date(1_795_200_003_000) },
    { name: 'Ravi' },
  ]);
  await enqueue(message(id, 4));
  expect(await people()).toMatchObject([
    { name: 'Anna', username: 'anna', first_seen_at: new Date(1_795_200_003_000) },
    { name: 'Ravi' },
  ]);
});

test('a person is the same in every conversation of a tenant, and another one in another tenant', async () => {
  const foreign = randomUUID();
  await enqueue(message(randomUUID(), 1), message(randomUUID(), 1));
  await enqueue(message(randomUUID(), 1, { tenantId: foreign }));
  const ids = (await people()).map((row) => row.person_id);
  expect(ids).toHaveLength(3);
  expect(new Set(ids)).toEqual(
    new Set([personIdOf(message('', 1)), personIdOf(message('', 1, { tenantId: foreign }))]),
  );
  expect(new Set(ids).size).toBe(2);
});

test('a quotation is stored once, with its author and time, even if its message is delivered repeatedly', async () => {
  const id = randomUUID();
  const author = { platformUserId: '7', name: 'Ravi', isBot: false };
  const quoting = message(id, 2, { quote: { ...quote, author, platformMessageId: '2200' } });
  await enqueue(message(id, 1), quoting, quoting);
  await enqueue({ ...quoting, quote: { kind: 'reply', text: 'another text' } });
  expect(await quotes()).toMatchObject([
    {
      tenant_id: tenantId,
      conversation_id: id,
      bot_id: botId,
      person_id: personIdOf(quoting),
      seq: 2,
      ...quote,
      author,
      platform_message_id: '2200',
      created_at: new Date(quoting.receivedAt),
    },
  ]);
});

test('a quotation of an unknown person has no author', async () => {
  await enqueue(message(randomUUID(), 1, { quote }));
  expect(await quotes()).toMatchObject([{ author: null, platform_message_id: null }]);
});

test('instances that store the same messages concurrently in opposite order neither fail nor store anything twice', async () => {
  const ids = Array.from({ length: 20 }, () => randomUUID());
  const writers = Array.from({ length: 5 }, (_, index) => ({
    platformUserId: `${index}`,
    name: `P${index}`,
  }));
  const batch = ids.flatMap((id) =>
    writers.map((sender, index) => message(id, index + 1, { sender, quote })),
  );
  await Promise.all(
    Array.from({ length: 24 }, (_, index) => enqueue(...(index % 2 ? batch : batch.toReversed()))),
  );
  expect(await people()).toHaveLength(100);
  expect(await quotes()).toHaveLength(100);
  expect(await harness.asOwner('select from agents.messages')).toHaveLength(100);
});

test("a transaction that can't be committed leaves neither message nor person nor quotation", async () => {
  const id = randomUUID();
  const broken = message(id, 2, { quote: { ...quote, text: '\0' } });
  await expect(enqueue(message(id, 1, { quote }), broken)).rejects.toThrow();
  for (const table of ['messages', 'conversations', 'people', 'quotes'])
    expect(await harness.asOwner(`select from agents.${table}`)).toEqual([]);
});
