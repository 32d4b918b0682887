import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { numbered, printFigures } from '../rig/history.ts';
import { updateOf } from '../rig/load-generator.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const [chats, messagesPerChat, kills] = isFull ? [1000, 100, 20] : [100, 20, 2];
const deliveries = chats * messagesPerChat;
/** Total number of the platform's connections. */
const connections = 40;
const timeoutMs = isFull ? 1_800_000 : 600_000;

let system: TestSystem;
let bot: ConnectedBot;
/** The running processes; one of the two is always being replaced. */
let webhooks: (Process | undefined)[];
let accepted = 0;
let turn = 0;

const start = () => system.startWebhooks({ WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000' });

beforeAll(async () => {
  system = await TestSystem.open();
  const agents = await system.startAgents();
  webhooks = await Promise.all([start(), start()]);
  bot = await system.createBot(agents);
  // Nothing is answered, so that deliveries arrive as fast as they are accepted.
  await agents.stop();
});
afterAll(() => system?.close());

/** Like the platform: retries until it is answered 200, at any running process. */
async function deliver(chat: number, number: number): Promise<void> {
  const update = updateOf(chat, chat * 1000 + number, numbered(String(chat), number));
  const isTaken = async () => {
    const there = webhooks.filter((one) => one !== undefined);
    const { status } = await system.deliver(there[turn++ % there.length]!, bot, update);
    return status === 200;
  };
  if (!(await isTaken())) await eventually(`${chat}#${number} is taken`, isTaken);
  accepted += 1;
}

async function kill(count: number): Promise<void> {
  const wanted = (deliveries / (kills + 1)) * count;
  await eventually('enough are taken', () => accepted >= wanted, { timeoutMs });
  const index = count % webhooks.length;
  const victim = webhooks[index]!;
  victim.signal('SIGKILL');
  expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' });
  webhooks[index] = undefined;
  webhooks[index] = await start();
}

interface Stored {
  deliveries: number;
  numbers: number;
  messages: number;
  places: number;
  outOfPlace: number;
}

/** The contents of the tables, each thing counted by its identity. */
async function stored(): Promise<Stored> {
  const [counted] = await system.harness.asOwner<Stored>(
    `with messages as (
       select data::json ->> 'conversationId' as conversation_id, (data::json ->> 'seq')::int as seq,
         substring(data::json ->> 'text' from '#(\\d+)')::int as number
       from webhooks.outbox where subject like '%.message.received.%')
     select (select count(*)::int from webhooks.deliveries) as deliveries,
       (select sum(last_seq)::int from webhooks.conversations) as numbers,
       count(*)::int as messages, count(distinct (conversation_id, seq))::int as places,
       count(*) filter (where seq <> number)::int as "outOfPlace" from messages`,
  );
  return counted!;
}

/** Number of messages on the bus when everything that was committed is published. */
async function publishedCount(): Promise<number> {
  const isPublished = async () => {
    const query = 'select from webhooks.outbox where published_at is null limit 1';
    return (await system.harness.asOwner(query)).length === 0;
  };
  await eventually('everything is published', isPublished, { timeoutMs });
  const bus = await system.harness.busAs('webhooks');
  const { state } = await bus.live().manager.streams.info(bus.names.stream('webhooks'), {
    subjects_filter: bus.names.everyEvent(messageReceived),
  });
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
}

test(
  `F-01: ${deliveries} deliveries at full speed: none is lost or stored twice, though webhooks is killed ${kills} times (P1, P5)`,
  async () => {
    const startedAt = performance.now();
    const people = Array.from({ length: chats }, (_, index) => index + 1).values();
    const write = async () => {
      for (const chat of people)
        for (let number = 1; number <= messagesPerChat; number += 1) await deliver(chat, number);
    };
    const writing = Promise.all(Array.from({ length: connections }, write));
    for (let count = 1; count <= kills; count += 1) await kill(count);
    await writing;
    const seconds = (performance.now() - startedAt) / 1000;
    const counts = await stored();
    const published = await publishedCount();
    printFigures('F-01, admission', {
      accepted,
      kills,
      ...counts,
      published,
      'taken per second': Math.round(accepted / seconds),
    });
    expect(published).toBe(deliveries);
    expect(counts).toEqual({
      deliveries,
      numbers: deliveries,
      messages: deliveries,
      places: deliveries,
      outOfPlace: 0,
    });
  },
  timeoutMs,
);
