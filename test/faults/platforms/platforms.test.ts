import { setTimeout as pause } from 'node:timers/promises';
import { platformNames } from '@botyard/contracts/platform-names';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EveryPlatform } from '../../e2e/platforms/rig.ts';
import { printFigures } from '../rig/history.ts';
import { between, oneOf, seeded } from '../rig/random.ts';
import { Talks, type Verdict } from './talks.ts';

const seed = Number(process.env.BOTYARD_MIX_SEED ?? 1);
const isFull = process.env.BOTYARD_FAULTS === 'full';
/** Without minutes it is one wave. */
const durationMs = Number(process.env.BOTYARD_MIX_MINUTES ?? 0) * 60_000;
/** People on each platform. */
const size = isFull ? { people: 5, messages: 6 } : { people: 2, messages: 4 };
const timeoutMs = 180_000;
const testTimeoutMs = durationMs + 3 * timeoutMs;
const targets = ['webhooks', 'agents', 'tenancy', 'gateway', 'nats', 'postgres'] as const;
const leastKills = 3;
const longestQuietMs = 3000;

let every: EveryPlatform;
beforeAll(async () => {
  every = await EveryPlatform.start(platformNames);
});
afterAll(() => every?.stop());

function print(what: string, verdicts: Partial<Record<string, Verdict>>, more: Record<string, unknown> = {}) {
  for (const [platform, verdict] of Object.entries(verdicts))
    printFigures('platforms', { seed, what, platform, ...verdict, ...more });
}

/** One wave of people after the other for the duration, and until enough happened; at least one. */
async function talkFor(talks: Talks, lengthMs: number, isEnough = () => true): Promise<void> {
  const endsAt = performance.now() + lengthMs;
  do await talks.wave();
  while (performance.now() < endsAt || !isEnough());
}

test(
  `platforms, seed ${seed}: on all platforms at once nothing is lost, twice, out of order or too fast (P1, P6, P9)`,
  async () => {
    const channels = await every.connect(...platformNames);
    const talks = new Talks(channels, { ...size, timeoutMs });
    await talkFor(talks, durationMs / 2);
    const verdicts = await talks.verdicts();
    print('without faults', verdicts);
    const without = { lost: 0, twice: 0, 'twice, marked': 0, 'out of order': 0, 'too fast': 0 };
    for (const platform of platformNames)
      expect([platform, verdicts[platform]]).toMatchObject([platform, without]);
  },
  testTimeoutMs,
);

test(
  `platforms, seed ${seed}: on all platforms at once nothing is lost, twice without a mark or out of order while processes are killed (P1, P6, P9)`,
  async () => {
    const random = seeded(seed);
    const channels = await every.connect(...platformNames);
    const talks = new Talks(channels, { ...size, timeoutMs });
    const killed: string[] = [];
    let isTalking = true;
    const killing = (async () => {
      while (isTalking) {
        await pause(between(random, 0, longestQuietMs));
        const target = oneOf(random, targets);
        await every.system.kill(target);
        killed.push(target);
        await every.system.healthy();
      }
    })();
    const talking = talkFor(talks, durationMs, () => killed.length >= leastKills).finally(() => {
      isTalking = false;
    });
    await Promise.all([talking, killing]);
    const verdicts = await talks.verdicts();
    print('with kills', verdicts, { kills: killed.length });
    const without = { lost: 0, twice: 0, 'out of order': 0 };
    for (const platform of platformNames)
      expect([platform, verdicts[platform]]).toMatchObject([platform, without]);
  },
  testTimeoutMs,
);
