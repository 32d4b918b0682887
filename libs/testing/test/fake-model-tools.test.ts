import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from '../src/fake-model.ts';

let model: FakeModel;

beforeEach(async () => {
  model = await startFakeModel();
});

afterEach(() => model.close());

const question = { role: 'user', content: 'what is 12*34' };

async function post(path: string, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await fetch(`${model.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'any', ...body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
    events: text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length))),
  };
}

const openai = (body: Record<string, unknown>) => post('/chat/completions', body);
const anthropic = (body: Record<string, unknown>) =>
  post('/messages', { max_tokens: 100, ...body }, { 'anthropic-version': '2023-06-01', 'x-api-key': 'k' });

const calculator = {
  type: 'function',
  function: { name: 'calculator', description: 'Calculates', parameters: { type: 'object' } },
};

test('OpenAI: a scripted reply calls a tool, and the next request has its result', async () => {
  model.replyInTurn({ toolCalls: [{ name: 'calculator', arguments: { expression: '12*34' } }] }, 'It is 408');
  const first = await openai({ messages: [question], tools: [calculator] });
  expect(model.requests.last).toMatchObject({
    protocol: 'openai',
    tools: [{ name: 'calculator', description: 'Calculates', parameters: { type: 'object' } }],
    toolResults: [],
  });
  const said = first.body.choices[0].message;
  expect(said.tool_calls[0].function).toEqual({ name: 'calculator', arguments: '{"expression":"12*34"}' });
  const result = { role: 'tool', tool_call_id: said.tool_calls[0].id, content: '408' };
  const second = await openai({ messages: [question, said, result], tools: [calculator] });
  expect(second.body.choices[0]).toMatchObject({ message: { content: 'It is 408' }, finish_reason: 'stop' });
  expect(model.requests.last?.toolResults).toEqual([
    { id: said.tool_calls[0].id, name: 'calculator', text: '408' },
  ]);
});

test('Anthropic: the same script in its own format', async () => {
  model.replyInTurn(
    { text: 'Let me see.', toolCalls: [{ name: 'calculator', arguments: { expression: '12*34' } }] },
    'It is 408',
  );
  const { function: about } = calculator;
  const tools = [{ name: about.name, description: about.description, input_schema: about.parameters }];
  const first = await anthropic({ system: 'Be brief', messages: [question], tools });
  expect(model.requests.last).toMatchObject({
    protocol: 'anthropic',
    messages: [{ role: 'system', content: 'Be brief' }, question],
    tools: [{ name: 'calculator', parameters: { type: 'object' } }],
  });
  expect(first.body).toMatchObject({
    type: 'message',
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', name: 'calculator', input: { expression: '12*34' } },
    ],
  });
  const used = first.body.content[1];
  const result = { type: 'tool_result', tool_use_id: used.id, content: [{ type: 'text', text: '408' }] };
  const second = await anthropic({
    messages: [
      question,
      { role: 'assistant', content: first.body.content },
      { role: 'user', content: [result] },
    ],
    tools,
  });
  expect(second.body).toMatchObject({
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'It is 408' }],
    usage: { output_tokens: 3 },
  });
  expect(model.requests.last?.toolResults).toEqual([{ id: used.id, name: 'calculator', text: '408' }]);
});

test('both stream tool calls', async () => {
  model.replyWith(() => ({
    text: 'Let me see',
    toolCalls: [{ id: 'c1', name: 'lookup', arguments: { a: 1 } }],
  }));
  const chunks = (await openai({ messages: [question], stream: true })).events;
  expect(chunks.flatMap((one) => one.choices[0].delta.tool_calls ?? [])).toEqual([
    { index: 0, id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"a":1}' } },
  ]);
  expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls');
  const events = (await anthropic({ messages: [question], stream: true })).events;
  expect(events.map((one) => one.delta?.text ?? '').join('')).toBe('Let me see');
  expect(events.filter((one) => one.index === 1)).toMatchObject([
    {
      type: 'content_block_start',
      content_block: { type: 'tool_use', id: 'c1', name: 'lookup', input: {} },
    },
    { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_stop' },
  ]);
  expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'tool_use' } });
});

test('a model may call a tool with arguments that are not JSON', async () => {
  model.replyWith(() => ({ toolCalls: [{ name: 'lookup', arguments: '{"broken' }] }));
  const { body } = await openai({ messages: [question] });
  expect(body.choices[0].message.tool_calls[0].function.arguments).toBe('{"broken');
});

test('a call without its result and a result without its call are refused, as by the real servers', async () => {
  const toolCall = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{}' } }],
  };
  const unanswered = await openai({ messages: [question, toolCall, question] });
  expect(unanswered.status).toBe(400);
  expect(unanswered.body.error.message).toContain('did not have response messages: c1');
  const unasked = await openai({ messages: [question, { role: 'tool', tool_call_id: 'c2', content: '' }] });
  expect(unasked.status).toBe(400);
  const used = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'lookup', input: {} }] };
  expect((await anthropic({ messages: [question, used, question] })).body).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error' },
  });
  expect(model.requests.count).toBe(0);
});

test('Anthropic requires max_tokens, and its errors have its own format', async () => {
  expect((await anthropic({ messages: [question], max_tokens: undefined })).status).toBe(400);
  model.replyInTurn({ status: 529, retryAfter: 2 });
  expect(await anthropic({ messages: [question] })).toMatchObject({
    status: 529,
    body: { type: 'error', error: { type: 'overloaded_error' } },
  });
});
