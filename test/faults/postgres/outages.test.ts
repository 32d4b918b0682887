import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { onlyMarkedDuplicates, printFigures } from '../rig/history.ts';
import type { LoadGenerator } from '../rig/load-generator.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { ConnectionHoard } from './connection-hoard.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const outages = isFull ? 10 : 2;
const awayMs = isFull ? 15_000 : 3000;
const messagesPerSecond = 10;
/** The promised limit, with a margin for a machine that runs other tests as well. */
const answersWithinMs = 2000;
const slackMs = 1000;
const timeoutMs = isFull ? 1_200_000 : 600_000;

let postgres: OwnPostgres;
let system: TestSystem;
let webhooks: Process[];
const bots: ConnectedBot[] = [];
let turn = 0;
let loads = 0;
let load: LoadGenerator;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ max_connections: '100', superuser_reserved_connections: '0' });
  system = await TestSystem.open({ postgresUrl: postgres.url });
  const [agents] = await Promise.all([system.startAgents(), system.startAgents()]);
  // Admission waits no longer than in an installation.
  const env = { DATABASE_ACQUIRE_TIMEOUT_MS: '1700' };
  webhooks = await Promise.all([system.startWebhooks(env), system.startWebhooks(env)]);
  for (let count = 0; count < 3; count++) bots.push(await system.createBot(agents));
});
afterEach(() => load.stopSending());
afterAll(async () => {
  await system?.close();
  await postgres?.stop();
});

function startCrowd(): void {
  const next = () => webhooks[turn++ % webhooks.length];
  load = system.createLoad(bots, next, { chats: 40, firstChat: 1 + 1000 * loads++, messagesPerSecond });
  load.start();
}

const waited = (ms: number) => {
  const sinceMs = performance.now();
  return eventually('the time is over', () => performance.now() - sinceMs > ms, { timeoutMs: ms + 60_000 });
};

/** Every delivery that was answered with 200 is in the database; all others were told to retry, in time. */
async function judge(id: string, figures: object): Promise<void> {
  const [first] = (await system.harness.asOwner<{ count: number }>(
    `select count(*)::int as count from webhooks.deliveries where event_id::bigint between $1 and $2`,
    [1000 * (loads - 1) * 100_000, 1000 * loads * 100_000],
  )) as [{ count: number }];
  const verdict = await system.verdict(load.history);
  const slowestMs = Math.max(0, ...load.refusals.map(({ tookMs }) => tookMs));
  printFigures(id, {
    ...verdict,
    'false 200': verdict.accepted - first.count,
    ...figures,
    'answered 503': load.refusals.length,
    'slowest 503 ms': slowestMs,
    'slowest answer ms': Math.round(load.slowestAnswerMs),
  });
  expect(verdict).toMatchObject(onlyMarkedDuplicates);
  expect(first.count).toBe(verdict.accepted);
  expect(load.refusals.length).toBeGreaterThan(0);
  for (const { status, retryAfter } of load.refusals)
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
  if (isFull) expect(slowestMs).toBeLessThan(answersWithinMs + slackMs);
}

test(
  `F-11: Postgres killed ${outages} times under load: no false 200, 503 with Retry-After within 2 s, nothing lost (P1, P4)`,
  async () => {
    startCrowd();
    let slowestStartMs = 0;
    for (let outage = 0; outage < outages; outage++) {
      await load.untilAnswered(3 * messagesPerSecond);
      await postgres.kill();
      await waited(awayMs);
      await postgres.startAgain();
      const backAt = performance.now();
      await load.untilAnswered(1);
      slowestStartMs = Math.max(slowestStartMs, performance.now() - backAt);
    }
    await load.stop();
    await judge('F-11', {
      kills: outages,
      'away ms': awayMs,
      'answers again after ms': Math.round(slowestStartMs),
    });
  },
  timeoutMs,
);

test(
  'F-14: all connections of Postgres are taken by others: no false 200, 503 in time, and everything recovers by itself (P4)',
  async () => {
    startCrowd();
    await load.untilAnswered(3 * messagesPerSecond);
    const hoard = new ConnectionHoard(postgres.url);
    await hoard.takeAll();
    await eventually('deliveries are refused', () => load.refusals.length > 0);
    await waited(awayMs);
    const taken = hoard.size;
    await hoard.release();
    const freeAt = performance.now();
    await load.untilAnswered(1);
    const againMs = Math.round(performance.now() - freeAt);
    await load.untilAnswered(3 * messagesPerSecond);
    await load.stop();
    await judge('F-14', { 'connections taken': taken, 'away ms': awayMs, 'answers again after ms': againMs });
  },
  timeoutMs,
);
