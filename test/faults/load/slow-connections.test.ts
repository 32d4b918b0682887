import { setInterval as every } from 'node:timers/promises';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rssMib } from '../../../tools/rig/processes.ts';
import { printFigures } from '../rig/history.ts';
import { Pairs } from '../rig/pairs.ts';
import { LargeMails } from './large-mails.ts';
import { SlowClients } from './slow-clients.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const slowClients = isFull ? 2000 : 500;
const requests = isFull ? 1000 : 200;
const requestsPerSecond = 40;
/**
 * For a gateway and a service behind it. A waiting connection is small, and a mail is never held in memory as a
 * whole.
 */
const maxGrowthMib = 256;

let harness: ServiceHarness;
let pairs: Pairs;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  const envOf = () => ({ MESSENGER_API_URL: 'http://nowhere.invalid' });
  pairs = await Pairs.start({ harness, services: ['tenancy', 'webhooks', 'gateway'], envOf });
});
afterAll(async () => {
  await pairs?.stop();
  await harness?.close();
});

interface Measured {
  p99Ms: number;
  failures: string[];
}

/** At a steady pace, however long each takes. */
async function measure(): Promise<Measured> {
  const tookMs: number[] = [];
  const failures: string[] = [];
  const ask = async () => {
    const beganAt = performance.now();
    try {
      const response = await pairs.call('/api/current-user');
      await response.arrayBuffer();
      if (!response.ok) failures.push(String(response.status));
    } catch (error) {
      failures.push(String((error as Error).cause ?? error));
    }
    tookMs.push(performance.now() - beganAt);
  };
  const pending: Promise<void>[] = [];
  for await (const _ of every(1000 / requestsPerSecond)) {
    pending.push(ask());
    if (pending.length >= requests) break;
  }
  await Promise.all(pending);
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * share)]! * 10) / 10;
  return { p99Ms: at(0.99), failures };
}

test(`P18: ${slowClients} slow connections and large email posts: no other request is refused, and memory is bounded`, async () => {
  await measure();
  const names = pairs.names.filter((name) => !name.startsWith('tenancy'));
  const memoryMib = () => names.map((name) => rssMib(pairs.pidOf(name) ?? 0));
  const quiet = await measure();
  const before = memoryMib();
  const slow = await SlowClients.connect(pairs.publicUrls, slowClients);
  const slowed = await measure();
  const mails = new LargeMails(`${pairs.publicUrls[0]}/webhooks/email`);
  const busy = await measure();
  const held = slow.count;
  const growth = memoryMib().map((mib, index) => Math.round(mib - before[index]!));
  await mails.close();
  slow.close();
  printFigures('P18', {
    'slow connections': held,
    'turned away': slow.turnedAway,
    mails: mails.answered,
    requests,
    failed: slowed.failures.length + busy.failures.length,
    'p99 ms': `${quiet.p99Ms} -> ${slowed.p99Ms}, with mails ${busy.p99Ms}`,
    'p99 ratio': `${(slowed.p99Ms / quiet.p99Ms).toFixed(2)}, with mails ${(busy.p99Ms / quiet.p99Ms).toFixed(2)}`,
    'memory MiB': names.map((name, index) => `${name} +${growth[index]}`).join(' '),
  });
  expect([...slowed.failures, ...busy.failures]).toEqual([]);
  expect(held).toBeGreaterThan(slowClients * 0.8);
  expect(Math.max(...growth)).toBeLessThan(maxGrowthMib);
});
