import { expect, test } from 'vitest';
import { seeded } from '../rig/random.ts';
import { draw, kinds } from './plan.ts';

const targets = {
  processes: ['agents-0', 'agents-1'],
  links: ['agents-0>model', 'agents-0>nats-0', 'webhooks-0>postgres'],
  natsServers: ['botyard-0', 'botyard-1', 'botyard-2'],
};
const length = { durationMs: 600_000, gapMs: 1500, longestMs: 12_000 };
const planOf = (seed: number) => draw(seeded(seed), targets, length);

test('the same seed makes the same plan, and another one another', () => {
  expect(planOf(3)).toEqual(planOf(3));
  expect(planOf(3)).not.toEqual(planOf(4));
});

test('ten minutes have every kind of fault, all of it over at the end', () => {
  const plan = planOf(5);
  expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(kinds));
  expect(plan.every(({ atMs, untilMs }) => atMs < untilMs && untilMs <= length.durationMs)).toBe(true);
});

test('nothing has two faults at the same time, and at most one nats-server has one', () => {
  const plan = planOf(6);
  const placeOf = ({ kind, target }: (typeof plan)[number]) => (kind.startsWith('nats') ? 'nats' : target);
  for (const [index, fault] of plan.entries()) {
    const later = plan.slice(index + 1).filter((other) => placeOf(other) === placeOf(fault));
    expect(later.every(({ atMs }) => atMs >= fault.untilMs)).toBe(true);
  }
});
