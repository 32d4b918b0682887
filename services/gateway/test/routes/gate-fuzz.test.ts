import { randomInt } from 'node:crypto';
import { publicPrefixes } from '@botyard/shared/contracts/catalogue';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUnder } from '../../src/domain/request-target.ts';
import { hostileTarget } from '../support/hostile-targets.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

/** FUZZ_TARGETS and FUZZ_SEED set how many, and repeat a run. */
const targets = Number(process.env.FUZZ_TARGETS ?? 100_000);
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const connections = 16;
const perDraw = 1000;

const openPrefixes = [...publicPrefixes, '/webhooks'];
const answers = new Set([0, 200, 400, 401, 404, 405, 414, 431, 503]);

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** A service may be reached without a token by a plain path beneath a public prefix, and by nothing else. */
const isOpen = (url: string): boolean => {
  const { pathname } = new URL(url, 'http://service');
  return url.startsWith(pathname) && openPrefixes.some((prefix) => isUnder(pathname.toLowerCase(), prefix));
};

test('no request target without a token reaches what needs one', { timeout: 240_000 }, async () => {
  process.stdout.write(`gate: ${targets} targets, FUZZ_SEED=${seed}\n`);
  const odd: string[] = [];
  const statuses = new Map<number, number>();
  const draws = Array.from({ length: Math.ceil(targets / perDraw) }, (_, index) => index).values();
  const work = async () => {
    const connection = new RawConnection(gateway.port);
    for (const draw of draws) {
      const drawn = fc.sample(hostileTarget, { seed: seed + draw, numRuns: perDraw });
      for (const target of drawn) {
        const status = await connection.send(`GET ${target} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!answers.has(status)) odd.push(`${status} ${JSON.stringify(target)}`);
      }
      for (const service of Object.values(gateway.services)) {
        const wrong = service.arrivals.splice(0).filter(({ url }) => !isOpen(url));
        odd.push(...wrong.map(({ url }) => `a service was asked for ${JSON.stringify(url)}`));
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`gate: answers ${counts.join(', ')}; ${odd.length} leaks\n`);
  expect(odd.slice(0, 10)).toEqual([]);
  expect(statuses.get(401)).toBeGreaterThan(0);
  expect(statuses.get(400)).toBeGreaterThan(0);
});
