import { findMessages } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = 5;
const messagesPerChat = isFull ? 100 : 8;

let system: TestSystem;
let webhooks: Process;
let agents: Process;
let bot: ConnectedBot;
let said = 0;

beforeAll(async () => {
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
afterAll(() => system?.close());

interface Event {
  id: string;
  conversationId: string;
  seq: number;
  streamSeq: number;
}

interface DeadLetter {
  messageId: string;
  chatId: string;
}

const call = (method: 'GET' | 'POST', path: string) =>
  agents.call(method, `/api/interactions${path}`, { as: system.people.admin });

/**
 * Messages of every chat while nobody takes them. Resolves with those that are on the stream, by conversation and
 * position.
 */
async function sayUnheard(): Promise<Event[]> {
  await agents.stop();
  for (let message = 0; message < messagesPerChat; message += 1) {
    for (let chat = 1; chat <= chats; chat += 1)
      await system.say(webhooks, bot, { chat, number: said + message });
  }
  said += messagesPerChat;
  await eventually('all is published', async () => {
    const waiting = await system.harness.asOwner('select from webhooks.outbox where published_at is null');
    return waiting.length === 0;
  });
  const rows = await system.harness.asOwner<Record<keyof Event, string>>(
    `select id, data::jsonb ->> 'conversationId' as "conversationId", data::jsonb ->> 'seq' as seq, stream_seq as "streamSeq"
     from webhooks.outbox where subject like $1 order by 2, (data::jsonb ->> 'seq')::int`,
    [`%.event.${messageReceived.name}.%`],
  );
  const all = rows.map((row) => ({ ...row, seq: Number(row.seq), streamSeq: Number(row.streamSeq) }));
  return all.filter(({ seq }) => seq > said - messagesPerChat);
}

/** Takes events out of the stream, as if the server had lost them. */
async function lose(events: readonly Event[]): Promise<void> {
  const bus = await system.harness.busAs('webhooks');
  for (const { streamSeq } of events)
    await bus.live().manager.streams.deleteMessage(bus.names.stream('webhooks'), streamSeq);
}

/** The last one of a chat has nothing behind it that would wait. */
const withSomethingBehind = ({ seq }: Event) => seq < said;

test(
  'F-42: messages that the stream lost are fetched and answered, once and in order',
  async () => {
    const events = await sayUnheard();
    // The last of some chats, too: nothing comes behind them that would wait for them.
    const lost = events.filter(({ seq }) => seq % 3 !== 0);
    await lose(lost);
    const beganAt = performance.now();
    agents = await system.startAgents();
    await system.answered();
    const verdict = await system.verdict();
    printFigures('F-42', {
      ...verdict,
      lost: lost.length,
      'answered after ms': Math.round(performance.now() - beganAt),
    });
    expect(verdict).toMatchObject({ accepted: chats * messagesPerChat, ...faultless });
  },
  isFull ? 1_200_000 : 600_000,
);

test('F-42: an event that is no longer stored anywhere is a dead letter with its cause; replayed once it is stored again, it is answered', async () => {
  const before = system.history.answerCount;
  const events = await sayUnheard();
  const [victim] = events;
  const lost = events
    .filter((event) => event.conversationId === victim?.conversationId && withSomethingBehind(event))
    .slice(0, 3);
  await lose(lost);
  const ids = lost.map(({ id }) => id);
  const change = (change: string) =>
    system.harness.asOwner(`update webhooks.outbox set subject = ${change} where id = any ($1::uuid[])`, [
      ids,
    ]);
  await change(`'away.' || subject`);
  agents = await system.startAgents();
  await eventually(
    'the others are answered',
    () => system.history.answerCount === before + events.length - lost.length,
    // Each lost message of the chat is waited for in its turn.
    { timeoutMs: 400_000 },
  );
  const letters = async () => (await call('GET', '/dead-letters')).body as DeadLetter[];
  const deadLetters = await letters();
  expect(deadLetters).toHaveLength(lost.length);
  for (const letter of deadLetters) expect(JSON.stringify(letter)).toContain('lost on its way');
  const [{ chatId, messageId }] = deadLetters as [DeadLetter];
  const refusal = await call('POST', `/dead-letters/${messageId}/replay`);
  expect(refusal).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('no longer stored') },
  });
  expect(await call('POST', `/chats/${chatId}/replay`)).toMatchObject({ status: 202, body: [] });
  expect(await letters()).toEqual(deadLetters);
  await change(`replace(subject, 'away.', '')`);
  expect(await call('POST', `/dead-letters/${messageId}/replay`)).toMatchObject({ status: 202 });
  const rest = await call('POST', `/chats/${chatId}/replay`);
  expect(rest.body).toHaveLength(lost.length - 1);
  await system.answered();
  expect(await letters()).toEqual([]);
  const { duplicated, strange } = await system.verdict();
  printFigures('F-42', {
    lost: lost.length,
    'dead letters': deadLetters.length,
    replayed: lost.length,
    duplicated,
  });
  expect({ duplicated, strange }).toEqual({ duplicated: 0, strange: 0 });
}, 600_000);

test("F-42: only a conversation's own tenant receives anything of it", async () => {
  const [row] = await system.harness.asOwner<{ data: string }>(
    'select data from webhooks.outbox where subject like $1 limit 1',
    [`%.event.${messageReceived.name}.%`],
  );
  const message = messageReceived.schema.parse(JSON.parse(row!.data));
  const bus = await system.harness.busAs('agents');
  const { conversationId, tenantId, seq } = message;
  const own = await ask(bus, findMessages, { tenantId, conversationId, seqs: [seq] });
  expect(own.messages).toEqual([message]);
  const { tenantId: other } = await system.createPeople();
  expect(await ask(bus, findMessages, { tenantId: other, conversationId, seqs: [seq] })).toEqual({
    messages: [],
  });
});
