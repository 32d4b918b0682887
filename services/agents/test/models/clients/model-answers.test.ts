import { randomUUID } from 'node:crypto';
import { providerNames } from '@botyard/contracts/providers';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { startFlood } from '@botyard/testing/flood';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelClient } from '../../../src/models/clients/model.ts';
import type { ModelCall } from '../../../src/models/clients/wire.ts';
import { addressesAt } from './addresses.ts';

let model: FakeModel;

beforeAll(async () => {
  model = await startFakeModel();
});
afterAll(() => model?.close());

type Provider = ModelCall['provider'];

const ask = (provider: Provider, url = model.url) =>
  createModelClient(addressesAt(url)).complete({
    tenantId: randomUUID(),
    provider,
    model: 'm',
    apiKey: new Secret('sk-test-0123456789'),
    keyHost: new URL(url).host,
    instructions: 'Help.',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    mustAnswer: false,
    maxOutputTokens: 100,
    signal: AbortSignal.timeout(20_000),
  });

/** An answer of the provider with this for its usage; `undefined` leaves it out. */
const answerWith = (provider: Provider, usage: unknown, text = 'a good answer'): unknown =>
  provider === 'anthropic'
    ? {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason: 'end_turn',
        stop_sequence: null,
        content: [{ type: 'text', text }],
        usage,
      }
    : {
        id: 'chatcmpl',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        usage,
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      };

/** The two counts in the provider's words. */
const counts = (provider: Provider, input: unknown, output: unknown): unknown =>
  provider === 'anthropic'
    ? { input_tokens: input, output_tokens: output }
    : { prompt_tokens: input, completion_tokens: output, total_tokens: output };

/** JSON knows no NaN, but servers write it, or a number that is none for JavaScript. */
const huge = 1e308;
const oddCounts: readonly (readonly [string, (provider: Provider) => unknown])[] = [
  ['is missing', () => undefined],
  ['is null', () => null],
  ['is a text', () => 'many'],
  ['is a list', () => [1, 2]],
  ['is empty', () => ({})],
  ['is negative', (provider) => counts(provider, -5, -1)],
  ['is negative in one place', (provider) => counts(provider, 12, -1)],
  ['is far too large', (provider) => counts(provider, huge, huge)],
  ['is no number', (provider) => counts(provider, 'NaN', 'NaN')],
  ['is null in its places', (provider) => counts(provider, null, null)],
  ['is of objects', (provider) => counts(provider, { value: 12 }, [3])],
  ['is nothing at all', (provider) => counts(provider, 0, 0)],
  [
    'has odd details',
    (provider) => ({
      ...(counts(provider, -1, 3) as object),
      prompt_tokens_details: 'none',
      completion_tokens_details: { reasoning_tokens: 'x' },
      cache_read_input_tokens: -7,
      cache_creation_input_tokens: 'x',
      service_tier: 9,
    }),
  ],
];

test.each(['NaN', '-Infinity', 'Infinity', '1e999'])(
  'the answer is kept if a server writes %s, which is not JSON',
  async (word) => {
    const text = 'NaN is "no" number: NaN, Infinity';
    const body = JSON.stringify(answerWith('private-llm', counts('private-llm', 12, 9876), text));
    model.fail('chat', { status: 200, body: body.replaceAll('9876', word) });
    const answer = await ask('private-llm');
    expect(answer.text).toBe(text);
    expect(answer.usage).toMatchObject({ inputTokens: 12, isEstimated: true });
  },
);

describe.each(providerNames)('usage in an answer of %s', (provider) => {
  test.each(oddCounts)('is estimated if it %s, and the answer is kept', async (_, usage) => {
    model.fail('chat', { status: 200, body: answerWith(provider, usage(provider)) });
    const { text, usage: counted } = await ask(provider);
    expect(text).toBe('a good answer');
    expect(counted.isEstimated).toBe(true);
    for (const tokens of [counted.inputTokens, counted.outputTokens]) {
      expect(Number.isSafeInteger(tokens)).toBe(true);
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThan(1000);
    }
  });

  test.each([
    ['numbers', 12, 3],
    ['digits', '12', '3'],
    ['fractions', 11.5, 2.5],
  ])('of %s is accepted', async (_, input, output) => {
    model.fail('chat', { status: 200, body: answerWith(provider, counts(provider, input, output)) });
    expect((await ask(provider)).usage).toEqual({ inputTokens: 12, outputTokens: 3, isEstimated: false });
  });
});

test('tokens that Anthropic read from and wrote to its cache count as read', async () => {
  const usage = {
    input_tokens: 5,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 7,
    output_tokens: 3,
  };
  model.fail('chat', { status: 200, body: answerWith('anthropic', usage) });
  expect((await ask('anthropic')).usage).toEqual({ inputTokens: 32, outputTokens: 3, isEstimated: false });
});

describe('F-40: a response of 200 without an answer', () => {
  test.each<[string, unknown, string]>([
    ['a page', '<!doctype html><title>Sign in</title>', 'unavailable'],
    ['nothing', '', 'unavailable'],
    ['a list', [], 'unavailable'],
    ['an error of the server', { error: { message: 'overloaded', type: 'overloaded_error' } }, 'unavailable'],
    ['an error in words', { error: 'no GPU is free' }, 'unavailable'],
    ['a limit by its number', { error: { message: 'slow down', code: 429 } }, 'rate limited'],
    ['a limit by its name', { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 'rate limited'],
    ['a used up quota', { error: { message: 'pay', type: 'insufficient_quota' } }, 'rate limited'],
    ['a refused key', { error: { message: 'who?', code: 'invalid_api_key' } }, 'key refused'],
    ['a model that is not to be had', { error: { message: 'no', status: 403 } }, 'model refused'],
    ['a model that nobody knows', { error: { message: 'no', code: 'model_not_found' } }, 'model refused'],
    ['a request that is refused', { error: { message: 'no', code: '400' } }, 'refused'],
  ])('%s is what it says', async (_, body, failure) => {
    for (const provider of providerNames) {
      model.fail('chat', { status: 200, body, times: 3 });
      await expect(ask(provider)).rejects.toMatchObject({ failure });
      model.clearFaults();
    }
  });

  test('is retried if the server is in trouble', async () => {
    for (const provider of providerNames) {
      model.fail('chat', { status: 200, body: '<html>Bad gateway</html>', times: 1 });
      expect((await ask(provider)).text).toBe('ok');
    }
  });
});

describe('F-41: an answer without end', () => {
  test.each([
    ['plain', false],
    ['packed', true],
  ])('%s is cut off at the bound, and requested only once', async (_, isGzip) => {
    for (const provider of providerNames) {
      const flood = await startFlood({ isGzip });
      await expect(ask(provider, `${flood.url}/v1`)).rejects.toMatchObject({ failure: 'unusable answer' });
      expect(flood.requests).toBe(1);
      if (!isGzip) expect(flood.sentBytes).toBeLessThan(50 * 1024 * 1024);
      await flood.close();
    }
  });

  test.each([401, 429, 404])('with the status %i is treated by its status', async (status) => {
    const flood = await startFlood({ status });
    const failures = { 401: 'key refused', 429: 'rate limited', 404: 'model refused' };
    await expect(ask('openai', `${flood.url}/v1`)).rejects.toMatchObject({
      failure: failures[status as keyof typeof failures],
    });
    expect(flood.requests).toBe(1);
    expect(flood.sentBytes).toBeLessThan(50 * 1024 * 1024);
    await flood.close();
  });
});
