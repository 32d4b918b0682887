import { findMessages } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = 5;
const messagesPerChat = isFull ? 100 : 8;

let town: Town;
let webhooks: Process;
let agents: Process;
let bot: TownBot;
let said = 0;

beforeAll(async () => {
  town = await Town.open();
  [agents, webhooks] = await Promise.all([town.startAgents(), town.startWebhooks()]);
  bot = await town.createBot(agents);
});
afterAll(() => town?.close());

interface Event {
  id: string;
  conversationId: string;
  seq: number;
  streamSeq: number;
}

interface Letter {
  messageId: string;
  chatId: string;
}

const call = (method: 'GET' | 'POST', path: string) =>
  agents.call(method, `/api/interactions${path}`, { as: town.people.admin });

/**
 * Messages of every chat while nobody takes them. Resolves with those that are on the stream, by conversation and
 * position.
 */
async function sayUnheard(): Promise<Event[]> {
  await agents.stop();
  for (let message = 0; message < messagesPerChat; message += 1) {
    for (let chat = 1; chat <= chats; chat += 1)
      await town.say(webhooks, bot, { chat, number: said + message });
  }
  said += messagesPerChat;
  await eventually('all is published', async () => {
    const waiting = await town.harness.asOwner('select from webhooks.outbox where published_at is null');
    return waiting.length === 0;
  });
  const rows = await town.harness.asOwner<Record<keyof Event, string>>(
    `select id, data::jsonb ->> 'conversationId' as "conversationId", data::jsonb ->> 'seq' as seq, stream_seq as "streamSeq"
     from webhooks.outbox where subject like $1 order by 2, (data::jsonb ->> 'seq')::int`,
    [`%.event.${messageReceived.name}.%`],
  );
  const all = rows.map((row) => ({ ...row, seq: Number(row.seq), streamSeq: Number(row.streamSeq) }));
  return all.filter(({ seq }) => seq > said - messagesPerChat);
}

/** Takes events out of the stream, as if the server had lost them. */
async function lose(events: readonly Event[]): Promise<void> {
  const bus = await town.harness.busAs('webhooks');
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
    agents = await town.startAgents();
    await town.answered();
    const verdict = await town.verdict();
    tell('F-42', {
      ...verdict,
      lost: lost.length,
      'answered after ms': Math.round(performance.now() - beganAt),
    });
    expect(verdict).toMatchObject({ accepted: chats * messagesPerChat, ...faultless });
  },
  isFull ? 1_200_000 : 600_000,
);

test('F-42: an event that is no longer stored anywhere is a dead letter with its cause; replayed once it is stored again, it is answered', async () => {
  const before = town.history.answerCount;
  const events = await sayUnheard();
  const [victim] = events;
  const lost = events
    .filter((event) => event.conversationId === victim?.conversationId && withSomethingBehind(event))
    .slice(0, 3);
  await lose(lost);
  const ids = lost.map(({ id }) => id);
  const change = (change: string) =>
    town.harness.asOwner(`update webhooks.outbox set subject = ${change} where id = any ($1::uuid[])`, [ids]);
  await change(`'away.' || subject`);
  agents = await town.startAgents();
  await eventually(
    'the others are answered',
    () => town.history.answerCount === before + events.length - lost.length,
    // Each lost message of the chat is waited for in its turn.
    { timeoutMs: 400_000 },
  );
  const letters = async () => (await call('GET', '/dead-letters')).body as Letter[];
  const found = await letters();
  expect(found).toHaveLength(lost.length);
  for (const letter of found) expect(JSON.stringify(letter)).toContain('lost on its way');
  const [{ chatId, messageId }] = found as [Letter];
  const refusal = await call('POST', `/dead-letters/${messageId}/replay`);
  expect(refusal).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('no longer stored') },
  });
  expect(await call('POST', `/chats/${chatId}/replay`)).toMatchObject({ status: 202, body: [] });
  expect(await letters()).toEqual(found);
  await change(`replace(subject, 'away.', '')`);
  expect(await call('POST', `/dead-letters/${messageId}/replay`)).toMatchObject({ status: 202 });
  const rest = await call('POST', `/chats/${chatId}/replay`);
  expect(rest.body).toHaveLength(lost.length - 1);
  await town.answered();
  expect(await letters()).toEqual([]);
  const { duplicated, strange } = await town.verdict();
  tell('F-42', { lost: lost.length, 'dead letters': found.length, replayed: lost.length, duplicated });
  expect({ duplicated, strange }).toEqual({ duplicated: 0, strange: 0 });
}, 600_000);

test("F-42: only a conversation's own tenant receives anything of it", async () => {
  const [row] = await town.harness.asOwner<{ data: string }>(
    'select data from webhooks.outbox where subject like $1 limit 1',
    [`%.event.${messageReceived.name}.%`],
  );
  const message = messageReceived.schema.parse(JSON.parse(row!.data));
  const bus = await town.harness.busAs('agents');
  const { conversationId, tenantId, seq } = message;
  const own = await ask(bus, findMessages, { tenantId, conversationId, seqs: [seq] });
  expect(own.messages).toEqual([message]);
  const { tenantId: other } = await town.createPeople();
  expect(await ask(bus, findMessages, { tenantId: other, conversationId, seqs: [seq] })).toEqual({
    messages: [],
  });
});
