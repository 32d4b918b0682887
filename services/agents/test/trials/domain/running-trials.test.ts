import { maxTrials, maxTrialsOfCaller, maxTrialsOfTenant } from '@botyard/contracts/http/trials';
import { expect, test } from 'vitest';
import { RunningTrials } from '../../../src/trials/domain/running-trials.ts';

/** Begins as many trials as each person may have, and returns how many of them run. */
function beginAll(trials: RunningTrials, { tenantId, people }: { tenantId: string; people: number }): number {
  let running = 0;
  for (let number = 0; number < people * maxTrialsOfCaller; number += 1) {
    try {
      trials.begin({ tenantId, userId: `${tenantId} ${number % people}` });
      running += 1;
    } catch {
      // Refused.
    }
  }
  return running;
}

test('ten people of one tenant take no more trials than a tenant has', () => {
  const trials = new RunningTrials();
  expect(beginAll(trials, { tenantId: 'many', people: 10 })).toBe(maxTrialsOfTenant);
  expect(beginAll(trials, { tenantId: 'few', people: 1 })).toBe(maxTrialsOfCaller);
});

test('tenants that take all they may have leave one trial to each of the next tenants', () => {
  const trials = new RunningTrials();
  const greedy = maxTrials / maxTrialsOfTenant - 1;
  for (let number = 0; number < greedy; number += 1)
    expect(beginAll(trials, { tenantId: `many ${number}`, people: 10 })).toBe(maxTrialsOfTenant);
  for (let number = 0; number < maxTrialsOfTenant; number += 1)
    expect(beginAll(trials, { tenantId: `few ${number}`, people: 1 })).toBe(1);
});
