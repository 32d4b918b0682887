import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Crowd } from '../rig/crowd.ts';
import { kept, recordsOf, tell, whereabouts } from '../rig/history.ts';
import { Links } from '../rig/links/links.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { seeded } from '../rig/random.ts';
import { WholeTown } from '../rig/whole-town.ts';
import { perform } from './perform.ts';
import { draw, told } from './plan.ts';
import { Troubles } from './troubles.ts';

/** `npm run faults -- mix` sets the duration and the seed; by default it takes as long as a merge allows. */
const minutes = Number(process.env.BOTYARD_MIX_MINUTES ?? 0);
const seed = Number(process.env.BOTYARD_MIX_SEED ?? 1);
const length =
  minutes > 0
    ? { durationMs: minutes * 60_000, gapMs: 1500, longestMs: 12_000 }
    : { durationMs: 15_000, gapMs: 1500, longestMs: 3000 };
const messagesPerSecond = 10;
/** Refused calls are retried with growing delays, and a hanging model call is cancelled after a while. */
const settlesWithinMs = 180_000;

let postgres: OwnPostgres;
let links: Links;
let town: WholeTown;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ max_connections: '300' });
  links = new Links(seeded(seed + 1));
  // A call without an answer is timed out soon enough for the person to be answered during the test.
  const env = { MODEL_TIMEOUT_MS: '30000', DATABASE_ACQUIRE_TIMEOUT_MS: '2000' };
  town = await WholeTown.open({ postgresUrl: postgres.url, links, env });
});
afterAll(async () => {
  await town?.close();
  links?.close();
  await postgres?.stop();
});

async function settled(crowd: Crowd): Promise<void> {
  await links.heal();
  await town.cluster.whole();
  await crowd.fallsSilent();
  let open: string[] = [];
  const isSettled = async () => {
    open = crowd.history.openBut(await recordsOf(town.harness));
    return open.length === 0;
  };
  await eventually('every message is answered', isSettled, { timeoutMs: settlesWithinMs }).catch(
    async (error: Error) => {
      const known = await whereabouts(town.harness, open.slice(0, 20));
      throw new Error(`${error.message}; ${open.length} are not:\n${known.join('\n')}`);
    },
  );
  const isHealthy = async () => (await town.pairs.call('/api/health')).ok;
  await eventually('every service is ready', isHealthy);
}

test(
  `mix, seed ${seed}: with random kills, pauses, cuts, delays and refusals for ${length.durationMs / 1000} s, nothing accepted is lost (P1, P6, P9)`,
  async () => {
    const tenants = [await town.createTenant(), await town.createTenant()];
    const crowd = town.crowd(tenants, { chats: 60, messagesPerSecond });
    crowd.start();
    await crowd.hears(2 * messagesPerSecond);
    const troubles = new Troubles({ town, links, postgres });
    const plan = draw(seeded(seed), troubles.targets, length);
    let done: string[] = [];
    try {
      done = await perform(troubles, plan);
      const overAt = performance.now();
      await settled(crowd);
      const settledMs = Math.round(performance.now() - overAt);
      const records = await recordsOf(town.harness);
      const verdict = crowd.history.verdict(records);
      tell('mix', {
        seed,
        minutes: (length.durationMs / 60_000).toFixed(1),
        troubles: plan.length,
        ...verdict,
        apologized: records.apologized.length,
        'given up': records.givenUp.length,
        notices: crowd.history.noticeCount,
        'brought again': crowd.refusals.length,
        'settled after ms': settledMs,
        'slowest answer ms': Math.round(crowd.slowestAnswerMs),
      });
      expect(verdict).toMatchObject(kept);
      // Nothing but a model in trouble is a reason for an apology.
      if (!plan.some(({ target }) => target.includes('model'))) expect(records.apologized).toEqual([]);
    } catch (error) {
      const lines = done.length > 0 ? done : plan.map(told);
      process.stdout.write(`mix, seed ${seed}, what happened:\n${lines.join('\n')}\n`);
      throw error;
    }
  },
  length.durationMs + settlesWithinMs + 240_000,
);
