import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { providerNames } from '@botyard/contracts/providers';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createModelClient, type ModelClient } from '../../../src/models/clients/model.ts';
import type { ModelCall } from '../../../src/models/clients/wire.ts';
import { addressesAt } from './addresses.ts';

let model: FakeModel;
let client: ModelClient;

beforeAll(async () => {
  model = await startFakeModel();
  client = createModelClient(addressesAt(model.url));
});

afterAll(() => model?.close());

const callOf = (call: Partial<ModelCall>): ModelCall => ({
  tenantId: randomUUID(),
  provider: 'private-llm',
  model: 'default',
  apiKey: null,
  keyHost: new URL(model.url).host,
  instructions: 'Help.',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  mustAnswer: false,
  maxOutputTokens: 100,
  signal: AbortSignal.timeout(10_000),
  ...call,
});

const complete = (call: Partial<ModelCall> = {}) => client.complete(callOf(call));

test('`default` of the private LLM is the configured model; any other name is passed on', async () => {
  await complete();
  expect(model.requests.last?.model).toBe('house-model');
  expect(model.requests.last?.headers.authorization).toBeUndefined();
  await complete({ model: 'another' });
  expect(model.requests.last?.model).toBe('another');
});

test('a key is sent to the host that it was stored for and to no other', async () => {
  const apiKey = new Secret('sk-test-0123456789');
  const calls = model.calls.count;
  for (const keyHost of ['api.openai.com', null, new URL(model.url).hostname]) {
    await expect(complete({ provider: 'openai', model: 'm', apiKey, keyHost })).rejects.toMatchObject({
      failure: 'key refused',
    });
  }
  expect(model.calls.count).toBe(calls);
  await complete({ provider: 'openai', model: 'm', apiKey });
  expect(model.requests.last?.headers.authorization).toBe('Bearer sk-test-0123456789');
});

test('a stopped call ends immediately with the reason of the stop', async () => {
  const stop = new AbortController();
  model.hang();
  const nextRequest = model.nextRequest();
  const call = complete({ signal: stop.signal });
  await nextRequest;
  const reason = new Error('stopping');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  model.release();
});

test('a deadline that passes while a retry is waited for is a timeout', async () => {
  model.fail('chat', { status: 503, headers: { 'retry-after': '30' }, times: 3 });
  await expect(complete({ signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ failure: 'timeout' });
  model.clearFaults();
});

test('without an address the private LLM is unavailable', async () => {
  const without = createModelClient({ ...addressesAt(model.url), privateLlm: undefined });
  const call = without.complete({
    tenantId: randomUUID(),
    provider: 'private-llm',
    model: 'default',
    apiKey: null,
    keyHost: null,
    instructions: 'Help.',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    mustAnswer: false,
    maxOutputTokens: 100,
    signal: AbortSignal.timeout(1000),
  });
  await expect(call).rejects.toMatchObject({ failure: 'unavailable' });
});

test.each([
  ['openai', { temperature: 0.2, reasoningEffort: 'high' }, { temperature: 0.2, reasoning_effort: 'high' }],
  ['private-llm', { temperature: 0, reasoningEffort: 'low' }, { temperature: 0, reasoning_effort: 'low' }],
  ['anthropic', { temperature: 1 }, { temperature: 1 }],
] as const)(
  "%s gets the settings of an agent's model in its own format",
  async (provider, settings, said) => {
    const all = createModelClient(addressesAt(model.url));
    await all.complete({ ...callOf({ provider, model: 'm' }), settings });
    expect(model.requests.last?.body).toMatchObject(said);
    await all.complete(callOf({ provider, model: 'm' }));
    expect(model.requests.last?.body).not.toHaveProperty('temperature');
    expect(model.requests.last?.body).not.toHaveProperty('reasoning_effort');
  },
);

describe.each(providerNames)('an answer of %s that is streamed', (provider) => {
  const streamed = async (call: Partial<ModelCall> = {}, { isKnown = false } = {}) => {
    const all = createModelClient(addressesAt(model.url));
    const tenantId = randomUUID();
    // An earlier answer has shown that the model's answers don't begin with thoughts.
    if (isKnown) await all.complete(callOf({ provider, model: 'm', tenantId }));
    const deltas: string[] = [];
    const onText = (text: string) => void deltas.push(text);
    const answer = await all.complete(callOf({ provider, model: 'm', tenantId, onText, ...call }));
    return { answer, deltas };
  };

  test("is streamed word by word, and equals the complete answer, with the provider's numbers", async () => {
    model.replyWith('one two three');
    const { answer, deltas } = await streamed({}, { isKnown: true });
    expect(model.requests.last?.stream).toBe(true);
    expect(deltas).toEqual(['one ', 'two ', 'three']);
    const { prompt_tokens, completion_tokens } = model.answered.last!.usage;
    expect(answer).toMatchObject({ text: 'one two three', toolCalls: [] });
    expect(answer.usage).toEqual({
      inputTokens: prompt_tokens,
      outputTokens: completion_tokens,
      isEstimated: false,
    });
  });

  test('can ask for tools', async () => {
    model.replyWith(() => ({ toolCalls: [{ name: 'add', arguments: { a: 1 } }] }));
    const add = { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } };
    const { answer } = await streamed({ tools: [add] });
    expect(answer.toolCalls).toMatchObject([{ name: 'add', input: { a: 1 } }]);
  });

  test('fails like one that is not streamed if it is refused', async () => {
    for (const [status, failure] of [
      [401, 'key refused'],
      [404, 'model refused'],
      [429, 'rate limited'],
      [400, 'refused'],
    ] as const) {
      model.replyWith(() => ({ status }));
      await expect(streamed()).rejects.toMatchObject({ failure });
    }
  });

  test('ends when it is stopped, with the reason of the stop', async () => {
    model.replyWith('one two three');
    const stop = new AbortController();
    const reason = new Error('the client has left');
    const onText = () => stop.abort(reason);
    const stopped = streamed({ onText, signal: stop.signal }, { isKnown: true });
    await expect(stopped).rejects.toBe(reason);
  });

  test('is taken as a whole from a server that does not stream', async () => {
    const body =
      provider === 'anthropic'
        ? {
            id: 'm',
            type: 'message',
            role: 'assistant',
            model: 'm',
            stop_reason: 'end_turn',
            content: [{ type: 'text', text: 'all at once' }],
            usage: { input_tokens: 7, output_tokens: 3 },
          }
        : {
            id: 'm',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [
              { index: 0, message: { role: 'assistant', content: 'all at once' }, finish_reason: 'stop' },
            ],
            usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
          };
    model.replyWith(() => ({ status: 200, body }));
    const { answer, deltas } = await streamed();
    expect(deltas).toEqual(['all at once']);
    expect(answer).toMatchObject({ text: 'all at once', usage: { inputTokens: 7, outputTokens: 3 } });
  });
});

describe('a stream', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ id: 'm', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }] })}\n\n`;

  /** The result of an answer that a server writes like this. */
  async function streamedFrom(answer: (res: ServerResponse) => void) {
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      answer(res);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const privateLlm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const own = createModelClient(addressesAt(privateLlm));
    return await own.complete(callOf({ onText: () => undefined }));
  }

  test('is not an answer if it breaks in the middle', async () => {
    const breaking = streamedFrom((res) => res.write(chunk('half'), () => res.destroy()));
    await expect(breaking).rejects.toMatchObject({ failure: 'unavailable' });
  });

  test('is not an answer if it contains an error', async () => {
    const failing = streamedFrom((res) => res.end('data: {"error":{"message":"out of memory"}}\n\n'));
    await expect(failing).rejects.toMatchObject({ name: 'ModelError' });
  });

  test('is cut off if it is far too long', async () => {
    const comment = `: ${'x'.repeat(1024 ** 2)}\n\n`;
    const endless = streamedFrom((res) => {
      for (let count = 0; count < 20; count += 1) res.write(comment);
    });
    await expect(endless).rejects.toMatchObject({ failure: 'unusable answer' });
  });
});
