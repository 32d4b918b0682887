import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { WantedKey } from '../../../src/clients/keys.ts';
import { ModelError, type ModelFailure } from '../../../src/models/clients/call-failure.ts';
import { PlatformRest } from '../../../src/models/domain/platform-rest.ts';

const wanted = (change: Partial<WantedKey> = {}): WantedKey => ({
  tenantId: randomUUID(),
  botId: randomUUID(),
  agentId: randomUUID(),
  provider: 'openai',
  model: 'm',
  ...change,
});

describe("F-40: the rest after a failed call on the platform's key", () => {
  test.each<[ModelFailure, number, boolean]>([
    ['key refused', 401, true],
    ['rate limited', 402, false],
    ['model refused', 403, false],
    ['model refused', 404, false],
    ['rate limited', 429, false],
  ])('%s (%i): the whole key: %s', (failure, status, isWholeKey) => {
    const rest = new PlatformRest();
    rest.begin(wanted(), new ModelError(failure, { status }));
    expect(rest.of(wanted())).toEqual({ failure, freeInMs: expect.any(Number) });
    expect(rest.of(wanted({ model: 'another' })) !== undefined).toBe(isWholeKey);
    expect(rest.of(wanted({ provider: 'anthropic' }))).toBeUndefined();
  });

  test("a private LLM's rest does not affect another tenant, which may have another one", () => {
    const rest = new PlatformRest();
    const one = wanted({ provider: 'private-llm', model: 'default' });
    for (const failure of ['key refused', 'model refused', 'rate limited'] as const)
      rest.begin(one, new ModelError(failure));
    expect(rest.of(one)).toBeDefined();
    expect(rest.of({ ...one, tenantId: randomUUID() })).toBeUndefined();
  });

  test('as long as the provider asks for, at most 10 minutes; nothing after that', () => {
    const rest = new PlatformRest();
    const rests = (retryAfterMs: number) => {
      rest.begin(wanted(), new ModelError('rate limited', { status: 429, retryAfterMs }));
      return rest.of(wanted())?.freeInMs;
    };
    expect(rests(120_000)).toBeGreaterThan(119_000);
    expect(rests(3_600_000)).toBeLessThanOrEqual(600_000);
    expect(rests(0)).toBeUndefined();
  });
});
