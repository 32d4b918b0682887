import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from '../src/fake-model.ts';

type ChatAnswer = { choices: { message: Record<string, unknown>; finish_reason: string }[]; usage: unknown };

let model: FakeModel;

beforeEach(async () => {
  model = await startFakeModel();
});

afterEach(() => model.close());

function chat(extra: Record<string, unknown> = {}, init: RequestInit = {}) {
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: '12345678' }], ...extra }),
    ...init,
  });
}

test('answers as scripted, with usage from the lengths', async () => {
  model.replyWith(({ messages }) => `you said ${messages[0]?.content}`);
  const body = (await (await chat()).json()) as ChatAnswer;
  expect(body.choices[0]).toMatchObject({
    message: { role: 'assistant', content: 'you said 12345678' },
    finish_reason: 'stop',
  });
  expect(body.usage).toEqual({ prompt_tokens: 2, completion_tokens: 5, total_tokens: 7 });
  expect(model.requests.last).toMatchObject({ model: 'any', stream: false });
});

test('streams words, then the usage if requested, then DONE', async () => {
  model.replyWith('one two');
  const lines = (await (await chat({ stream: true, stream_options: { include_usage: true } })).text())
    .trim()
    .split('\n\n');
  expect(lines.at(-1)).toBe('data: [DONE]');
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
  expect(chunks.map((one) => one.choices[0]?.delta.content ?? '').join('')).toBe('one two');
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 4 } });
  expect(chunks[0].usage).toBeNull();
});

test('cuts at max_tokens and reports it', async () => {
  model.replyWith('a long answer');
  const body = (await (await chat({ max_tokens: 1 })).json()) as ChatAnswer;
  expect(body.choices[0]).toMatchObject({ message: { content: 'a lo' }, finish_reason: 'length' });
});

test('tool calls carry their arguments as a JSON string', async () => {
  model.replyWith(() => ({ toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { order: 7 } }] }));
  const { choices } = (await (await chat()).json()) as ChatAnswer;
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
  expect(choices[0]?.message.tool_calls).toMatchObject([
    { function: { name: 'lookup', arguments: '{"order":7}' } },
  ]);
});

test('a call can be observed while it hangs, and continues after release', async () => {
  model.hang();
  const arrived = model.nextRequest();
  const answer = chat();
  await arrived;
  expect(model.pending).toBe(1);
  model.release();
  expect((await answer).status).toBe(200);
});

test('scripted failures occur as often as requested, then it answers again', async () => {
  model.failNext({ status: 503, times: 2, retryAfter: 1 });
  expect([(await chat()).status, (await chat()).status, (await chat()).status]).toEqual([503, 503, 200]);
});

test('with a key required, a wrong one is 401 and shown only in part', async () => {
  const guarded = await startFakeModel({ apiKey: 'sk-right' });
  const ask = (key: string) =>
    fetch(`${guarded.url}/models`, { headers: { authorization: `Bearer ${key}` } });
  const refused = (await (await ask('sk-entirely-wrong')).json()) as { error: { message: string } };
  expect(refused.error).toMatchObject({ code: 'invalid_api_key' });
  expect(refused.error.message).not.toContain('entirely');
  expect(await (await ask('sk-right')).json()).toMatchObject({
    object: 'list',
    data: [{ id: 'fake-model' }],
  });
  await guarded.close();
});

test('keys have states, in the words of OpenAI and Anthropic; by default every key is accepted', async () => {
  const ask = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
    const answer = await fetch(`${model.url}${path}`, { headers, ...init });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { error?: unknown },
    };
  };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const anthropic = (key: string) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' });
  expect((await ask('/models', bearer('whatever'))).status).toBe(200);
  model.setKey('good', 'good');
  model.setKey('restricted', 'restricted');
  model.setKey('busy', 'rate limited', { retryAfter: 7 });
  expect((await ask('/models', bearer('good'))).body).toMatchObject({ object: 'list' });
  expect((await ask('/models?limit=1', anthropic('good'))).body).toMatchObject({ has_more: false });
  expect(await ask('/models', bearer('other'))).toMatchObject({
    status: 401,
    body: { error: { code: 'invalid_api_key' } },
  });
  expect(await ask('/models', anthropic('other'))).toMatchObject({
    status: 401,
    body: { error: { type: 'authentication_error' } },
  });
  expect(await ask('/models', bearer('restricted'))).toMatchObject({
    status: 401,
    body: { error: { code: null } },
  });
  expect((await ask('/models', bearer('busy'))).headers.get('retry-after')).toBe('7');
  expect(
    (await chat({}, { headers: { 'content-type': 'application/json', ...bearer('restricted') } })).status,
  ).toBe(200);
  expect((await chat()).status).toBe(401);
  model.forgetKeys();
  expect((await chat()).status).toBe(200);
});
