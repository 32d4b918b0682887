import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kept, tell } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

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
let town: Town;
let webhooks: Process[];
const bots: TownBot[] = [];
let turn = 0;

beforeAll(async () => {
  nats = await OwnNats.start();
  town = await Town.open({ natsUrl: nats.url });
  const [agents] = await Promise.all([town.startAgents(), town.startAgents()]);
  webhooks = await Promise.all([town.startWebhooks(), town.startWebhooks()]);
  while (bots.length < botCount) bots.push(await town.createBot(agents));
});
afterAll(async () => {
  await town?.close();
  await nats?.stop();
});

const crowdFrom = (firstChat: number) =>
  town.crowd(bots, () => webhooks[turn++ % webhooks.length], {
    firstChat,
    chats,
    messagesPerSecond,
    maxWaiting: Number.POSITIVE_INFINITY,
  });

test(
  `F-08: NATS stopped for ${awayMs / 1000} s: every delivery is 200, and all are answered within 60 s after (P3)`,
  async () => {
    const crowd = crowdFrom(1);
    crowd.start();
    await crowd.hears(2 * messagesPerSecond);
    await nats.kill();
    const killedAt = performance.now();
    const isOver = () => performance.now() - killedAt > awayMs;
    await eventually('the time is over', isOver, { timeoutMs: awayMs + 60_000 });
    await nats.startAgain();
    const backAt = performance.now();
    const backlog = crowd.history.waitingCount;
    await crowd.fallsSilent();
    await crowd.history.completed({ timeoutMs: drainsWithinMs + 60_000 });
    const drainedMs = Math.round(performance.now() - backAt);
    const verdict = await town.verdict(crowd.history);
    tell('F-08', {
      ...verdict,
      'away s': awayMs / 1000,
      refused: crowd.refusals.length,
      'slowest delivery ms': crowd.slowestDeliveryMs,
      backlog,
      'drained after ms': drainedMs,
    });
    expect(verdict).toMatchObject(kept);
    expect(crowd.refusals).toEqual([]);
    expect(backlog).toBeGreaterThan((messagesPerSecond * awayMs) / 1000 / 2);
    if (isFull) expect(drainedMs).toBeLessThan(drainsWithinMs);
  },
  timeoutMs,
);

test(
  'F-81: NATS is killed repeatedly under load, with confirmed and unwritten events: nothing is lost, twice or out of order',
  async () => {
    const crowd = crowdFrom(2001);
    crowd.start();
    for (let count = 0; count < kills; count += 1) {
      await crowd.hears(3 * messagesPerSecond);
      await nats.kill();
      await nats.startAgain();
    }
    await crowd.hears(3 * messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-81', { ...verdict, kills, refused: crowd.refusals.length });
    expect(verdict).toMatchObject(kept);
    expect(crowd.refusals).toEqual([]);
  },
  timeoutMs,
);

test(
  'P1: NATS loses its store under load, and nothing that was accepted is lost',
  async () => {
    const crowd = crowdFrom(1001);
    crowd.start();
    for (let count = 0; count < storeLosses; count += 1) {
      await crowd.hears(3 * messagesPerSecond);
      await nats.kill();
      await nats.deleteStore();
      await nats.startAgain();
    }
    await crowd.hears(3 * messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('P1, store deleted', { ...verdict, 'times deleted': storeLosses, refused: crowd.refusals.length });
    expect(verdict).toMatchObject(kept);
    expect(crowd.refusals).toEqual([]);
  },
  isFull ? 1_200_000 : 600_000,
);
