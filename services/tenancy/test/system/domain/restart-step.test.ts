import type { DiscoveredInstance } from '@botyard/shared/system/questions';
import { expect, test } from 'vitest';
import { nextStep } from '../../../src/system/domain/restart-step.ts';

const instance = (instanceId: string, state: DiscoveredInstance['state'] = 'ready'): DiscoveredInstance => ({
  serviceName: 'usage',
  instanceId,
  version: '1',
  startedAt: new Date(),
  state,
  checks: {},
  load: { utilization: 0, cpu: 0, residentBytes: 1, requestsInFlight: 0 },
});
const waiting = (...ids: string[]) => ids.map((instanceId) => ({ instanceId, state: 'waiting' as const }));

test('one at a time, and the second only when as many as before are ready again', () => {
  let step = nextStep(waiting('a', 'b'), [instance('a'), instance('b')], 0);
  expect(step).toMatchObject({ state: 'running', ask: 'a' });
  step = nextStep(step.instances, [instance('a', 'draining'), instance('b')], 100);
  expect(step.ask).toBeUndefined();
  step = nextStep(step.instances, [instance('b')], 200);
  expect(step.ask).toBeUndefined();
  step = nextStep(step.instances, [instance('b'), instance('a2', 'not ready')], 300);
  expect(step.ask).toBeUndefined();
  step = nextStep(step.instances, [instance('b'), instance('a2')], 400);
  expect(step).toMatchObject({ state: 'running', ask: 'b' });
  step = nextStep(step.instances, [instance('a2'), instance('b2')], 500);
  expect(step).toMatchObject({ state: 'done', ask: undefined, reason: null });
  expect(step.instances.map(({ state }) => state)).toEqual(['restarted', 'restarted']);
});

test('a process that does not return stops the round, and the others are not restarted', () => {
  const firstStep = nextStep(waiting('a', 'b'), [instance('a'), instance('b')], 0);
  const early = nextStep(firstStep.instances, [instance('b')], 59_000);
  expect(early.state).toBe('running');
  const late = nextStep(early.instances, [instance('b')], 60_001);
  expect(late).toMatchObject({ state: 'failed', ask: undefined });
  expect(late.reason).toMatch(/only 1 of 2 .* did not start again/);
  expect(late.instances.map(({ state }) => state)).toEqual(['failed', 'waiting']);
});

test('no process is asked while one of the others is not ready', () => {
  const step = nextStep(waiting('a', 'b'), [instance('a'), instance('b', 'not ready')], 0);
  expect(step.ask).toBeUndefined();
  expect(nextStep(step.instances, [instance('a'), instance('b', 'not ready')], 60_001).state).toBe('failed');
});

test('a process that takes over the round asks again, unless the process is already ending', () => {
  const firstStep = nextStep(waiting('a'), [instance('a')], 0);
  expect(nextStep(firstStep.instances, [instance('a')], 1000).ask).toBe('a');
  expect(nextStep(firstStep.instances, [instance('a', 'draining')], 1000).ask).toBeUndefined();
  expect(nextStep(firstStep.instances, [instance('a')], 61_000)).toMatchObject({
    state: 'failed',
    reason: 'the process did not stop',
  });
});

test('a process that was replaced meanwhile needs no restart', () => {
  expect(nextStep(waiting('a'), [instance('z')], 0).state).toBe('done');
});
