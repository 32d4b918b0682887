import { Counter } from 'prom-client';
import { expect, test } from 'vitest';
import { DeliveryRate } from '../../../src/admission/domain/delivery-rate.ts';

test('counts deliveries of the last minute, and forgets the rest', async () => {
  const counter = new Counter({
    name: 'deliveries_total',
    help: 'x',
    labelNames: ['verdict', 'reason'],
    registers: [],
  });
  let now = 0;
  const rate = new DeliveryRate(counter, () => now);
  const accept = (count: number) => counter.inc({ verdict: 'accepted', reason: '' }, count);
  const accepted = async () => (await rate.lastMinute()).accepted;
  await rate.sample();
  accept(3);
  counter.inc({ verdict: 'ignored', reason: 'one' });
  counter.inc({ verdict: 'ignored', reason: 'another' });
  expect(await rate.lastMinute()).toEqual({
    accepted: 3,
    duplicate: 0,
    ignored: 2,
    malformed: 0,
    refused: 0,
  });
  for (now = 5000; now <= 55_000; now += 5000) await rate.sample();
  accept(4);
  expect(await accepted()).toBe(7);
  for (; now <= 65_000; now += 5000) await rate.sample();
  expect(await accepted()).toBe(4);
  for (; now <= 200_000; now += 5000) await rate.sample();
  expect(await accepted()).toBe(0);
});
