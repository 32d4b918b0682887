import type { ModelMessage, ToolModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { add, chat, chunks, ending, message, OddServer } from './odd-server.ts';

let server: OddServer;
beforeAll(async () => {
  server = await OddServer.start();
});
afterAll(() => server?.close());

const call = (given: unknown, more: object = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'add', arguments: given },
  ...more,
});
const anthropic = { provider: 'anthropic', keyHost: null } as const;

describe('the arguments of a call', () => {
  test.each([
    ['JSON', '{"a":1}', { a: 1 }],
    ['an object', { a: 1 }, { a: 1 }],
    ['JSON in JSON', JSON.stringify('{"a":1}'), { a: 1 }],
    ['an empty text', '', {}],
    ['spaces', ' \n', {}],
    ['null', null, {}],
    ['the word null', 'null', {}],
    ['JSON in a fence', '```json\n{"a":1}\n```', { a: 1 }],
    ['broken JSON, which the tool refuses', '{"a":', '{"a":'],
    ['a list, which the tool refuses', '[1]', [1]],
  ])('may be %s', async (_, given, input) => {
    server.answers(chat({ content: null, tool_calls: [call(given)] }, 'tool_calls'));
    const { toolCalls, said } = await server.ask({ tools: [add] });
    expect(toolCalls).toMatchObject([{ name: 'add', input }]);
    // The next step gets an object, whatever it was.
    const isObject = typeof input === 'object' && !Array.isArray(input);
    expect(said[0]?.content).toMatchObject([{ type: 'tool-call', input: isObject ? input : {} }]);
  });

  test('may be missing, or be in the form of Messages as a text', async () => {
    server.answers(chat({ tool_calls: [{ id: 'x', function: { name: 'add' } }] }, 'stop'));
    expect((await server.ask({ tools: [add] })).toolCalls).toMatchObject([{ input: {} }]);
    server.answers(message([{ type: 'tool_use', id: 't', name: 'add', input: '{"a":1}' }], 'tool_use'));
    expect((await server.ask({ ...anthropic, tools: [add] })).toolCalls).toMatchObject([{ input: { a: 1 } }]);
  });
});

describe('a call', () => {
  test.each([
    ['stop', 'stop'],
    ['no reason', null],
  ])('is one although the answer ends with %s', async (_, finish) => {
    server.answers(chat({ content: '', tool_calls: [call('{}')] }, finish));
    expect((await server.ask({ tools: [add] })).toolCalls).toHaveLength(1);
  });

  test('without an id, or with the id of another, gets its own, with which its result goes back', async () => {
    const calls = [
      call('{"a":1}', { id: undefined }),
      call('{"a":2}', { id: '' }),
      call('{"a":3}'),
      call('{"a":4}'),
    ];
    server.answers(chat({ content: null, tool_calls: calls }, 'tool_calls'));
    const { toolCalls, said } = await server.ask({ tools: [add] });
    const ids = toolCalls.map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id !== '')).toBe(true);
    expect(ids).toContain('call_1');
    const results = toolCalls.map(({ callId, name }) => ({
      type: 'tool-result' as const,
      toolCallId: callId,
      toolName: name,
      output: { type: 'text' as const, value: '1' },
    }));
    server.answers(chat({ content: 'done' }));
    await server.ask({
      tools: [add],
      messages: [{ role: 'user', content: 'x' }, ...said, { role: 'tool', content: results }],
    });
    const [{ messages }] = server.requests;
    expect(
      messages
        .find(({ role }: ModelMessage) => role === 'assistant')
        .tool_calls.map(({ id }: { id: string }) => id),
    ).toEqual(ids);
    expect(messages.filter(({ role }: ModelMessage) => role === 'tool')).toHaveLength(4);
  });

  test('may have the form before there were several', async () => {
    server.answers(
      chat({ content: null, function_call: { name: 'add', arguments: '{"a":1}' } }, 'function_call'),
    );
    expect((await server.ask({ tools: [add] })).toolCalls).toMatchObject([{ name: 'add', input: { a: 1 } }]);
  });
});

describe('a content', () => {
  test.each([
    [
      'a list of parts',
      [
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ],
      'Hello',
    ],
    ['parts without types', [{ text: 'Hello' }], 'Hello'],
    ['texts', ['Hel', 'lo'], 'Hello'],
    ['one part', { type: 'text', text: 'Hello' }, 'Hello'],
    ['null', null, ''],
    [
      'thoughts and text',
      [
        { type: 'thinking', thinking: [{ type: 'text', text: 'secret' }] },
        { type: 'text', text: 'Hello' },
      ],
      'Hello',
    ],
    [
      'kinds that nobody asked for',
      [
        { type: 'image_url', image_url: {} },
        { type: 'text', text: 'Hello' },
      ],
      'Hello',
    ],
  ])('may be %s', async (_, content, text) => {
    server.answers(chat({ content }));
    expect((await server.ask()).text).toBe(text);
  });
});

describe('a stream', () => {
  test.each([
    [
      'without an index',
      [
        { tool_calls: [{ id: 'a', function: { name: 'add', arguments: '{"a"' } }] },
        { tool_calls: [{ function: { arguments: ':1}' } }] },
      ],
      [{ a: 1 }],
    ],
    [
      'with the same index and other ids',
      [
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: '{"a":1}' } }] },
        { tool_calls: [{ index: 0, id: 'b', function: { name: 'add', arguments: '{"a":2}' } }] },
      ],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'with the name in every chunk',
      [
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: '{"a"' } }] },
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: ':1}' } }] },
      ],
      [{ a: 1 }],
    ],
    [
      'with a first chunk without arguments',
      [
        { tool_calls: [{ index: 0, id: 'a', function: { name: 'add' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
      ],
      [{ a: 1 }],
    ],
    [
      'with arguments as an object',
      [{ tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: { a: 1 } } }] }],
      [{ a: 1 }],
    ],
    [
      'with null for all that is missing',
      [
        { role: 'assistant', content: null, tool_calls: null },
        {
          content: null,
          tool_calls: [{ index: 0, id: 'a', type: null, function: { name: 'add', arguments: '{"a":1}' } }],
        },
      ],
      [{ a: 1 }],
    ],
    [
      'in the old form',
      [{ function_call: { name: 'add', arguments: '{"a"' } }, { function_call: { arguments: ':1}' } }],
      [{ a: 1 }],
    ],
  ])('may have calls %s', async (_, deltas, inputs) => {
    server.answers({ stream: [...chunks(...deltas), ending('tool_calls')] });
    const { toolCalls } = await server.ask({ tools: [add], isStreamed: true });
    expect(toolCalls.map(({ name, input }) => ({ name, input }))).toEqual(
      inputs.map((input) => ({ name: 'add', input })),
    );
  });

  test('may have thoughts in fields, which are not passed on, and whose text follows at once', async () => {
    server.answers({
      stream: [
        ...chunks(
          { reasoning_content: 'secret' },
          { reasoning: ' more' },
          { content: 'Hel' },
          { content: 'lo' },
        ),
        ending('stop'),
      ],
    });
    const answer = await server.ask({ isStreamed: true });
    expect(server.deltas).toEqual(['Hel', 'lo']);
    expect(answer).toMatchObject({ text: 'Hello', thoughtUnits: expect.any(Number) });
    expect(answer.thoughtUnits).toBeGreaterThan(0);
  });

  test('may have usage alone at its end, an answer per event and a message at the end', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 2 };
    server.answers({
      stream: [
        ...chunks({ content: 'Hello' }),
        ending('stop'),
        { choices: [{ index: 0, message: { content: 'Hello' } }] },
        { choices: [], usage },
      ],
    });
    expect(await server.ask({ isStreamed: true })).toMatchObject({
      text: 'Hello',
      usage: { inputTokens: 11, outputTokens: 2, isEstimated: false },
    });
  });

  test('of Messages is put together with its signed thoughts', async () => {
    const events = [
      {
        type: 'message_start',
        message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'secret' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Let me add.' } },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 't1', name: 'add', input: {} },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
    server.answers({ stream: events, isEnded: false });
    const answer = await server.ask({ ...anthropic, tools: [add], isStreamed: true });
    expect(answer).toMatchObject({ text: 'Let me add.', toolCalls: [{ callId: 't1', input: { a: 1 } }] });
    expect(answer.usage).toEqual({ inputTokens: 9, outputTokens: 7, isEstimated: false });
    expect(server.deltas).toEqual(['Let me add.']);
    expect(JSON.stringify(answer.said)).toContain('signed');
  });
});

describe('what a provider adds to a call', () => {
  const result = (toolCallId: string): ToolModelMessage => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'add', output: { type: 'text', value: '1' } }],
  });

  test('goes back with it, unread, in the same turn', async () => {
    const extra = {
      extra_content: { google: { thought_signature: 'sig' } },
      provider_specific_fields: { x: 1 },
    };
    const thoughts = {
      reasoning_content: 'secret',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'abc' }],
    };
    server.answers(chat({ content: null, ...thoughts, tool_calls: [call('{"a":1}', extra)] }, 'tool_calls'));
    const { said, text } = await server.ask({ tools: [add] });
    expect(text).toBe('');
    server.answers(chat({ content: 'done' }));
    await server.ask({ tools: [add], messages: [{ role: 'user', content: 'x' }, ...said, result('call_1')] });
    const assistant = server.requests[0].messages.find(({ role }: ModelMessage) => role === 'assistant');
    expect(assistant).toMatchObject({ ...thoughts, tool_calls: [{ id: 'call_1', ...extra }] });
  });

  test('goes back to Messages as the blocks that came', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'secret', signature: 'sig' },
      { type: 'redacted_thinking', data: 'abc' },
    ];
    const use = { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 }, caller: { type: 'direct' } };
    server.answers(message([...blocks, use], 'tool_use'));
    const { said } = await server.ask({ ...anthropic, tools: [add] });
    server.answers(message([{ type: 'text', text: 'done' }]));
    await server.ask({
      ...anthropic,
      tools: [add],
      messages: [{ role: 'user', content: 'x' }, ...said, result('t1')],
    });
    const assistant = server.requests[0].messages.find(({ role }: ModelMessage) => role === 'assistant');
    expect(assistant.content).toEqual([...blocks, use]);
  });
});
