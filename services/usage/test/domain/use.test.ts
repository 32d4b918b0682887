import { expect, test } from 'vitest';
import { toUse, usesSomething } from '../../src/domain/use.ts';
import { newTurn, type Turn } from '../usage-services.ts';

const tenantId = '01920000-0000-7000-8000-000000000001';

const use = (change: Partial<Turn> = {}, cost: number | null = null) =>
  toUse(newTurn(tenantId, change), () => cost);

test('an answered turn is one message, on the UTC day on which it ended', () => {
  const turn = newTurn(tenantId, { completedAt: '2026-10-31T23:59:59.9999Z', keySource: 'bot' });
  const { reservationId: _none, ...fields } = turn;
  expect(toUse(turn, () => 7)).toEqual({
    ...fields,
    completedAt: '2026-10-31T23:59:59.999Z',
    day: '2026-10-31',
    messages: 1,
    costMicroUsd: 7,
    unpricedTurns: 0,
  });
});

test('it is priced by its own day, provider and model, and counted as unpriced when they have no price', () => {
  const requests: unknown[] = [];
  const turn = newTurn(tenantId, {
    completedAt: '2026-10-31T23:59:59.999Z',
    provider: 'openai',
    model: 'large',
  });
  const priced = toUse(turn, (one) => {
    requests.push(one);
    return null;
  });
  expect(requests).toEqual([
    { provider: 'openai', model: 'large', inputTokens: 10, outputTokens: 20, day: '2026-10-31' },
  ]);
  expect(priced).toMatchObject({ costMicroUsd: null, unpricedTurns: 1 });
  expect(use({}, 0)).toMatchObject({ costMicroUsd: 0, unpricedTurns: 0 });
});

test.each(['apologized', 'command'] as const)('%s is not a message, but its usage counts', (outcome) => {
  expect(use({ outcome })).toMatchObject({
    messages: 0,
    inputTokens: 10,
    toolCalls: 1,
  });
});

test.each([
  [{ outcome: 'command', inputTokens: 0, outputTokens: 0, toolCalls: 0 }, false],
  [{ outcome: 'apologized', inputTokens: 3, outputTokens: 0, toolCalls: 0 }, true],
  [{ outcome: 'answered', inputTokens: 0, outputTokens: 0, toolCalls: 0 }, true],
] as const)('%o uses something: %s', (change, expected) => {
  expect(usesSomething(use(change))).toBe(expected);
});
