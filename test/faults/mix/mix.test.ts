import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeUnanswered, onlyMarkedDuplicates, printFigures, recordsOf } from '../rig/history.ts';
import { Links } from '../rig/links/links.ts';
import type { LoadGenerator } from '../rig/load-generator.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { seeded } from '../rig/random.ts';
import { RedundantSystem } from '../rig/redundant-system.ts';
import { FaultInjector } from './fault-injector.ts';
import { perform } from './perform.ts';
import { describeFault, draw } from './plan.ts';

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
let system: RedundantSystem;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ max_connections: '300' });
  links = new Links(seeded(seed + 1));
  // A call without an answer is timed out soon enough for the person to be answered during the test.
  const env = { MODEL_TIMEOUT_MS: '30000', DATABASE_ACQUIRE_TIMEOUT_MS: '2000' };
  system = await RedundantSystem.open({ postgresUrl: postgres.url, links, env });
});
afterAll(async () => {
  await system?.close();
  links?.close();
  await postgres?.stop();
});

async function settled(load: LoadGenerator): Promise<void> {
  await links.heal();
  await system.cluster.untilHealthy();
  await load.stopSending();
  let open: string[] = [];
  const isSettled = async () => {
    open = load.history.openBut(await recordsOf(system.harness));
    return open.length === 0;
  };
  await eventually('every message is answered', isSettled, { timeoutMs: settlesWithinMs }).catch(
    async (error: Error) => {
      const descriptions = await describeUnanswered(system.harness, open.slice(0, 20));
      throw new Error(`${error.message}; ${open.length} are not:\n${descriptions.join('\n')}`);
    },
  );
  const isHealthy = async () => (await system.pairs.call('/api/health')).ok;
  await eventually('every service is ready', isHealthy);
}

test(
  `mix, seed ${seed}: with random kills, pauses, cuts, delays and refusals for ${length.durationMs / 1000} s, nothing accepted is lost (P1, P6, P9)`,
  async () => {
    const tenants = [await system.createTenant(), await system.createTenant()];
    const load = system.createLoad(tenants, { chats: 60, messagesPerSecond });
    load.start();
    await load.untilAnswered(2 * messagesPerSecond);
    const injector = new FaultInjector({ system, links, postgres });
    const plan = draw(seeded(seed), injector.targets, length);
    let done: string[] = [];
    try {
      done = await perform(injector, plan);
      const overAt = performance.now();
      await settled(load);
      const settledMs = Math.round(performance.now() - overAt);
      const records = await recordsOf(system.harness);
      const verdict = load.history.verdict(records);
      printFigures('mix', {
        seed,
        minutes: (length.durationMs / 60_000).toFixed(1),
        faults: plan.length,
        ...verdict,
        apologized: records.apologized.length,
        'given up': records.givenUp.length,
        notices: load.history.noticeCount,
        'brought again': load.refusals.length,
        'settled after ms': settledMs,
        'slowest answer ms': Math.round(load.slowestAnswerMs),
      });
      expect(verdict).toMatchObject(onlyMarkedDuplicates);
      // Nothing but a fault of the model is a reason for an apology.
      if (!plan.some(({ target }) => target.includes('model'))) expect(records.apologized).toEqual([]);
    } catch (error) {
      const lines = done.length > 0 ? done : plan.map(describeFault);
      process.stdout.write(`mix, seed ${seed}, what happened:\n${lines.join('\n')}\n`);
      throw error;
    }
  },
  length.durationMs + settlesWithinMs + 240_000,
);
