import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { add, chat, chunks, ending, message, OddServer } from './odd-server.ts';

let server: OddServer;
beforeAll(async () => {
  server = await OddServer.start();
});
afterAll(() => server?.close());

const anthropic = { provider: 'anthropic', keyHost: null } as const;

describe('the end of an answer', () => {
  test.each([
    ['stop', 'complete'],
    [null, 'complete'],
    ['tool_calls', 'complete'],
    ['eos_token', 'complete'],
    ['a word of tomorrow', 'complete'],
    ['length', 'cut'],
    ['MAX_TOKENS', 'cut'],
    ['model_length', 'cut'],
    ['content_filter', 'filtered'],
    ['SAFETY', 'filtered'],
    ['sensitive', 'filtered'],
  ])('is understood from the reason %s', async (reason, finish) => {
    server.answers(chat({ content: 'Hello' }, reason));
    expect(await server.ask()).toMatchObject({ text: 'Hello', finish, finishReason: reason });
    server.answers({ stream: [...chunks({ content: 'Hello' }), ending(reason)] });
    expect(await server.ask({ isStreamed: true })).toMatchObject({ text: 'Hello', finish });
  });

  test.each([
    ['end_turn', 'complete'],
    ['stop_sequence', 'complete'],
    ['max_tokens', 'cut'],
    ['model_context_window_exceeded', 'cut'],
    ['refusal', 'filtered'],
    ['pause_turn', 'paused'],
  ])('is understood from the reason %s of Messages', async (reason, finish) => {
    server.answers(message([{ type: 'text', text: 'Hello' }], reason));
    expect(await server.ask(anthropic)).toMatchObject({ text: 'Hello', finish, finishReason: reason });
  });

  test('is a cut if the arguments of a call break off, whatever the reason says', async () => {
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'add', arguments: '{"a": 1, "text": "Dear' },
    };
    server.answers(chat({ content: null, tool_calls: [call] }, 'tool_calls'));
    expect(await server.ask({ tools: [add] })).toMatchObject({ finish: 'cut', finishReason: 'tool_calls' });
  });

  test('is a filter if a model declines without another word', async () => {
    server.answers(chat({ content: null, refusal: "I'm sorry, I can't help with that." }));
    expect(await server.ask()).toMatchObject({ text: '', finish: 'filtered' });
  });

  test('is a filter if Azure or Gemini answers without any choice', async () => {
    const filtered = [{ prompt_index: 0, content_filter_results: { hate: { filtered: true } } }];
    server.answers({ body: { choices: [], prompt_filter_results: filtered } });
    expect(await server.ask()).toMatchObject({ text: '', finish: 'filtered' });
    server.answers({ body: { choices: [], promptFeedback: { blockReason: 'SAFETY' } } });
    expect(await server.ask()).toMatchObject({ text: '', finish: 'filtered' });
  });
});

describe('an answer that ends with a failure of the provider', () => {
  test.each(['error', 'insufficient_system_resource', 'abort', 'network_error'])(
    'is asked for again: %s',
    async (reason) => {
      server.answers((_request, count) =>
        count === 1 ? chat({ content: 'Half of' }, reason) : chat({ content: 'Hello' }),
      );
      expect((await server.ask()).text).toBe('Hello');
      expect(server.requests).toHaveLength(2);
    },
  );

  test('is no answer if it keeps failing', async () => {
    server.answers(chat({ content: '' }, 'error', { error: null }));
    await expect(server.ask()).rejects.toMatchObject({ failure: 'unavailable' });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  test('is recognized by the error in its choice', async () => {
    const choice = {
      index: 0,
      finish_reason: 'stop',
      message: { content: '' },
      error: { code: 502, message: 'upstream' },
    };
    server.answers((_request, count) =>
      count === 1 ? { body: { choices: [choice] } } : chat({ content: 'Hello' }),
    );
    expect((await server.ask()).text).toBe('Hello');
  });

  test('is recognized in a stream, before any text and after', async () => {
    server.answers((_request, count) =>
      count === 1
        ? {
            stream: [
              {
                error: { code: 502, message: 'upstream' },
                choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
              },
            ],
          }
        : { stream: [...chunks({ content: 'Hello' }), ending('stop')] },
    );
    expect((await server.ask({ isStreamed: true })).text).toBe('Hello');
    server.answers({
      stream: chunks(
        { reasoning: 'x' },
        { content: 'Half of ' },
        { error: { code: 502, message: 'upstream' } },
      ),
    });
    await expect(server.ask({ isStreamed: true })).rejects.toMatchObject({ failure: 'unavailable' });
  });

  test('is a stream that stops without saying why', async () => {
    server.answers({ stream: chunks({ content: 'Half of' }), isEnded: false });
    await expect(server.ask({ isStreamed: true })).rejects.toMatchObject({ failure: 'unavailable' });
  });
});
