import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Crowd } from '../rig/crowd.ts';
import { kept, tell } from '../rig/history.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';
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
let town: Town;
let webhooks: Process[];
const bots: TownBot[] = [];
let turn = 0;
let crowds = 0;
let crowd: Crowd;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ max_connections: '100', superuser_reserved_connections: '0' });
  town = await Town.open({ postgresUrl: postgres.url });
  const [agents] = await Promise.all([town.startAgents(), town.startAgents()]);
  // Admission waits no longer than in an installation.
  const env = { DATABASE_ACQUIRE_TIMEOUT_MS: '500' };
  webhooks = await Promise.all([town.startWebhooks(env), town.startWebhooks(env)]);
  for (let count = 0; count < 3; count++) bots.push(await town.createBot(agents));
});
afterEach(() => crowd.fallsSilent());
afterAll(async () => {
  await town?.close();
  await postgres?.stop();
});

function startCrowd(): void {
  const next = () => webhooks[turn++ % webhooks.length];
  crowd = town.crowd(bots, next, { chats: 40, firstChat: 1 + 1000 * crowds++, messagesPerSecond });
  crowd.start();
}

const waited = (ms: number) => {
  const sinceMs = performance.now();
  return eventually('the time is over', () => performance.now() - sinceMs > ms, { timeoutMs: ms + 60_000 });
};

/** Every delivery that was answered with 200 is in the database; all others were told to retry, in time. */
async function judge(id: string, figures: object): Promise<void> {
  const [first] = (await town.harness.asOwner<{ count: number }>(
    `select count(*)::int as count from webhooks.deliveries where event_id::bigint between $1 and $2`,
    [1000 * (crowds - 1) * 100_000, 1000 * crowds * 100_000],
  )) as [{ count: number }];
  const verdict = await town.verdict(crowd.history);
  const slowestMs = Math.max(0, ...crowd.refusals.map(({ tookMs }) => tookMs));
  tell(id, {
    ...verdict,
    'false 200': verdict.accepted - first.count,
    ...figures,
    'answered 503': crowd.refusals.length,
    'slowest 503 ms': slowestMs,
    'slowest answer ms': Math.round(crowd.slowestAnswerMs),
  });
  expect(verdict).toMatchObject(kept);
  expect(first.count).toBe(verdict.accepted);
  expect(crowd.refusals.length).toBeGreaterThan(0);
  for (const { status, retryAfter } of crowd.refusals)
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
  if (isFull) expect(slowestMs).toBeLessThan(answersWithinMs + slackMs);
}

test(
  `F-11: Postgres killed ${outages} times under load: no false 200, 503 with Retry-After within 2 s, nothing lost (P1, P4)`,
  async () => {
    startCrowd();
    let slowestStartMs = 0;
    for (let outage = 0; outage < outages; outage++) {
      await crowd.hears(3 * messagesPerSecond);
      await postgres.kill();
      await waited(awayMs);
      await postgres.startAgain();
      const backAt = performance.now();
      await crowd.hears(1);
      slowestStartMs = Math.max(slowestStartMs, performance.now() - backAt);
    }
    await crowd.stop();
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
    await crowd.hears(3 * messagesPerSecond);
    const hoard = new ConnectionHoard(postgres.url);
    await hoard.takeAll();
    await eventually('deliveries are refused', () => crowd.refusals.length > 0);
    await waited(awayMs);
    const taken = hoard.size;
    await hoard.release();
    const freeAt = performance.now();
    await crowd.hears(1);
    const againMs = Math.round(performance.now() - freeAt);
    await crowd.hears(3 * messagesPerSecond);
    await crowd.stop();
    await judge('F-14', { 'connections taken': taken, 'away ms': awayMs, 'answers again after ms': againMs });
  },
  timeoutMs,
);
