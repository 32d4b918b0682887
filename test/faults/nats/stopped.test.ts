import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onlyMarkedDuplicates, printFigures } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
/** How long NATS is down; the full size is the promised duration. */
const awayMs = isFull ? 600_000 : 10_000;
const drainsWithinMs = 60_000;
/** A chat gets one message a second and a bot 30 (REQ-CHAT-5): with fewer of them that alone would take longer. */
const [chats, botCount] = [100, 4];
const messagesPerSecond = 5;
const storeLosses = isFull ? 10 : 1;
const kills = isFull ? 40 : 4;
const timeoutMs = awayMs + 240_000;

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process[];
const bots: ConnectedBot[] = [];
let turn = 0;

beforeAll(async () => {
  nats = await OwnNats.start();
  system = await TestSystem.open({ natsUrl: nats.url });
  const [agents] = await Promise.all([system.startAgents(), system.startAgents()]);
  webhooks = await Promise.all([system.startWebhooks(), system.startWebhooks()]);
  while (bots.length < botCount) bots.push(await system.createBot(agents));
});
afterAll(async () => {
  await system?.close();
  await nats?.stop();
});

const loadFrom = (firstChat: number) =>
  system.createLoad(bots, () => webhooks[turn++ % webhooks.length], {
    firstChat,
    chats,
    messagesPerSecond,
    maxWaiting: Number.POSITIVE_INFINITY,
  });

test(
  `F-08: NATS stopped for ${awayMs / 1000} s: every delivery is 200, and all are answered within 60 s after (P3)`,
  async () => {
    const load = loadFrom(1);
    load.start();
    await load.untilAnswered(2 * messagesPerSecond);
    await nats.kill();
    const killedAt = performance.now();
    const isOver = () => performance.now() - killedAt > awayMs;
    await eventually('the time is over', isOver, { timeoutMs: awayMs + 60_000 });
    await nats.startAgain();
    const backAt = performance.now();
    const backlog = load.history.waitingCount;
    await load.stopSending();
    await load.history.completed({ timeoutMs: drainsWithinMs + 60_000 });
    const drainedMs = Math.round(performance.now() - backAt);
    const verdict = await system.verdict(load.history);
    printFigures('F-08', {
      ...verdict,
      'away s': awayMs / 1000,
      refused: load.refusals.length,
      'slowest delivery ms': load.slowestDeliveryMs,
      backlog,
      'drained after ms': drainedMs,
    });
    expect(verdict).toMatchObject(onlyMarkedDuplicates);
    expect(load.refusals).toEqual([]);
    expect(backlog).toBeGreaterThan((messagesPerSecond * awayMs) / 1000 / 2);
    if (isFull) expect(drainedMs).toBeLessThan(drainsWithinMs);
  },
  timeoutMs,
);

test(
  'F-81: NATS is killed repeatedly under load, with confirmed and unwritten events: nothing is lost, twice or out of order',
  async () => {
    const load = loadFrom(2001);
    load.start();
    for (let count = 0; count < kills; count += 1) {
      await load.untilAnswered(3 * messagesPerSecond);
      await nats.kill();
      await nats.startAgain();
    }
    await load.untilAnswered(3 * messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-81', { ...verdict, kills, refused: load.refusals.length });
    expect(verdict).toMatchObject(onlyMarkedDuplicates);
    expect(load.refusals).toEqual([]);
  },
  timeoutMs,
);

test(
  'P1: NATS loses its store under load, and nothing that was accepted is lost',
  async () => {
    const load = loadFrom(1001);
    load.start();
    for (let count = 0; count < storeLosses; count += 1) {
      await load.untilAnswered(3 * messagesPerSecond);
      await nats.kill();
      await nats.deleteStore();
      await nats.startAgain();
    }
    await load.untilAnswered(3 * messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('P1, store deleted', {
      ...verdict,
      'times deleted': storeLosses,
      refused: load.refusals.length,
    });
    expect(verdict).toMatchObject(onlyMarkedDuplicates);
    expect(load.refusals).toEqual([]);
  },
  isFull ? 1_200_000 : 600_000,
);
