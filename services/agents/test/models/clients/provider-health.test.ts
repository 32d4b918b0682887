import { randomUUID } from 'node:crypto';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelClient, type ModelClient } from '../../../src/models/clients/model.ts';
import type { ModelCall } from '../../../src/models/clients/wire.ts';
import { addressesAt } from './addresses.ts';

let model: FakeModel;
let client: ModelClient;

beforeAll(async () => {
  model = await startFakeModel();
});

beforeEach(() => {
  model.clearFaults();
  model.calls.clear();
  client = createModelClient(addressesAt(model.url));
});

afterAll(() => model?.close());

const tenantId = randomUUID();
const complete = (call: Partial<ModelCall> = {}) =>
  client.complete({
    tenantId,
    provider: 'private-llm',
    model: 'm',
    apiKey: null,
    keyHost: null,
    instructions: 'Help.',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    mustAnswer: false,
    maxOutputTokens: 100,
    signal: AbortSignal.timeout(10_000),
    ...call,
  });
const chats = () => model.calls.all.filter(({ operation }) => operation === 'chat').length;
const fail = (times: number) =>
  model.fail('chat', { status: 503, headers: { 'retry-after-ms': '1' }, times });
const unavailable = { name: 'ModelError', failure: 'unavailable' };

describe('a provider that fails', () => {
  test('is asked at most three times', async () => {
    fail(2);
    expect((await complete()).text).toBe('ok');
    expect(chats()).toBe(3);
    fail(3);
    await expect(complete()).rejects.toMatchObject(unavailable);
    expect(chats()).toBe(6);
  });

  test('is spared after five failed calls in a row: the sixth fails immediately, and others are not affected', async () => {
    fail(1000);
    for (let calls = 0; calls < 5; calls += 1) await expect(complete()).rejects.toMatchObject(unavailable);
    const chatsBefore = chats();
    await expect(complete()).rejects.toMatchObject(unavailable);
    expect(chats()).toBe(chatsBefore);
    model.clearFaults();
    await expect(complete()).rejects.toMatchObject(unavailable);
    expect((await complete({ tenantId: randomUUID() })).text).toBe('ok');
  });

  test('is asked again seldom, when its tries are used up', async () => {
    fail(1000);
    for (let calls = 0; calls < 5; calls += 1) await complete().catch(() => undefined);
    expect(chats()).toBeLessThanOrEqual(5 + 11);
  });

  test('with a pause that is too long to wait for is not waited for', async () => {
    model.fail('chat', { status: 503, headers: { 'retry-after': '3600' } });
    await expect(complete()).rejects.toMatchObject(unavailable);
    expect(chats()).toBe(1);
  });
});

test.each([400, 401, 403, 404, 422, 429])(
  '%i shows that the provider works, and is not tried twice',
  async (status) => {
    const apiKey = new Secret('sk-test-0123456789');
    const call = { provider: 'openai', apiKey, keyHost: new URL(model.url).host } as const;
    model.fail('chat', { status, times: 20 });
    for (let calls = 0; calls < 8; calls += 1)
      await expect(complete(call)).rejects.toMatchObject({ name: 'ModelError' });
    expect(chats()).toBe(8);
    model.clearFaults();
    expect((await complete(call)).text).toBe('ok');
  },
);

test("a stop by the caller doesn't count against the provider", async () => {
  model.hang();
  for (let calls = 0; calls < 8; calls += 1) {
    const stop = new AbortController();
    const nextRequest = model.nextRequest();
    const call = complete({ signal: stop.signal });
    await nextRequest;
    stop.abort(new Error('stopping'));
    await expect(call).rejects.toThrow('stopping');
  }
  model.release();
  expect((await complete()).text).toBe('ok');
});
