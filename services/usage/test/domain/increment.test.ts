import { expect, test } from 'vitest';
import { toIncrement, usesSomething } from '../../src/domain/increment.ts';
import { newTurn } from '../usage-services.ts';

const tenantId = '01920000-0000-7000-8000-000000000001';

test('an answered turn is one message, on the UTC day on which it ended', () => {
  const turn = newTurn(tenantId, { completedAt: '2026-10-31T23:59:59.999Z', keySource: 'bot' });
  expect(toIncrement(turn)).toEqual({
    tenantId,
    day: '2026-10-31',
    botId: turn.botId,
    agentId: turn.agentId,
    provider: 'private-llm',
    model: 'sandbox',
    keySource: 'bot',
    messages: 1,
    inputTokens: 10,
    outputTokens: 20,
    toolCalls: 1,
  });
});

test.each(['apologized', 'command'] as const)('%s is no message, but what it used counts', (outcome) => {
  expect(toIncrement(newTurn(tenantId, { outcome }))).toMatchObject({
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
  expect(usesSomething(toIncrement(newTurn(tenantId, change)))).toBe(expected);
});
