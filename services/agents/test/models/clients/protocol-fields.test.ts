import { afterAll, beforeAll, expect, test } from 'vitest';
import { add, OddServer } from './odd-server.ts';

/**
 * Everything that an answer can carry, by the published types of `openai` 6.49, `@anthropic-ai/sdk` 1.14 and `ollama`
 * 0.6 (whose server is called by OpenAI's protocol), and by the documentation of OpenRouter and vLLM.
 *
 * - `read`: decides the answer, its calls or its usage
 * - `told`: the person or the trace is told about it
 * - `goes back`: returned to the provider with the call, unread
 * - `left out`: nothing asks for it, or it says nothing about the answer
 */
type Fate = 'read' | 'told' | 'goes back' | 'left out';
type Fields = Readonly<Record<string, readonly [fate: Fate, value: unknown]>>;

const secret = (name: string) => `secret-${name}`;

const chatAnswer: Fields = {
  id: ['left out', secret('id')],
  object: ['left out', 'chat.completion'],
  created: ['left out', 1],
  model: ['left out', secret('model')],
  service_tier: ['left out', secret('tier')],
  system_fingerprint: ['left out', secret('fingerprint')],
  provider: ['left out', secret('provider')],
  metadata: ['left out', { note: secret('metadata') }],
  moderation: ['left out', { note: secret('moderation') }],
  prompt_logprobs: ['left out', [secret('prompt_logprobs')]],
  kv_transfer_params: ['left out', { x: secret('kv') }],
  usage: ['read', { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, cost: 0.1 }],
};
const chatChoice: Fields = {
  index: ['left out', 0],
  finish_reason: ['told', 'length'],
  native_finish_reason: ['left out', secret('native')],
  stop_reason: ['left out', secret('stop_reason')],
  logprobs: ['left out', { content: [{ token: secret('logprobs') }] }],
  content_filter_results: ['left out', { hate: { filtered: false, severity: secret('severity') } }],
};
const chatMessage: Fields = {
  role: ['left out', 'assistant'],
  content: ['read', 'the text'],
  refusal: ['left out', null],
  annotations: ['left out', [{ type: 'url_citation', url_citation: { url: secret('url') } }]],
  audio: ['left out', { id: secret('audio'), data: '', expires_at: 1, transcript: secret('transcript') }],
  images: ['left out', [{ type: 'image_url', image_url: { url: secret('image') } }]],
  reasoning: ['goes back', secret('reasoning')],
  reasoning_content: ['goes back', secret('reasoning_content')],
  reasoning_details: ['goes back', [{ type: 'reasoning.text', text: secret('details') }]],
  reasoning_text: ['goes back', secret('reasoning_text')],
  reasoning_opaque: ['goes back', secret('opaque')],
  thinking: ['goes back', secret('thinking')],
  thinking_blocks: ['goes back', [{ type: 'thinking', thinking: secret('blocks') }]],
};
const chatCall: Fields = {
  id: ['read', 'call_1'],
  type: ['left out', 'function'],
  index: ['left out', 0],
  function: ['read', { name: 'add', arguments: '{"a":1}' }],
  extra_content: ['goes back', { google: { thought_signature: secret('signature') } }],
  provider_specific_fields: ['goes back', { x: secret('specific') }],
};

const messagesAnswer: Fields = {
  id: ['left out', secret('id')],
  type: ['left out', 'message'],
  role: ['left out', 'assistant'],
  model: ['left out', secret('model')],
  container: ['left out', { id: secret('container'), expires_at: '' }],
  diagnostics: ['left out', { note: secret('diagnostics') }],
  context_management: ['left out', { applied_edits: [secret('edits')] }],
  stop_reason: ['told', 'max_tokens'],
  stop_sequence: ['left out', secret('sequence')],
  stop_details: ['left out', { type: 'refusal', category: null, explanation: secret('explanation') }],
  usage: ['read', { input_tokens: 7, output_tokens: 3, server_tool_use: { web_search_requests: 1 } }],
};
/** Every kind of block in an answer. */
const messagesBlocks: Fields = {
  text: ['read', { type: 'text', text: 'the text', citations: [{ cited_text: secret('citation') }] }],
  tool_use: [
    'read',
    { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 }, caller: { type: 'direct' } },
  ],
  thinking: ['goes back', { type: 'thinking', thinking: secret('thinking'), signature: secret('signature') }],
  redacted_thinking: ['goes back', { type: 'redacted_thinking', data: secret('redacted') }],
  server_tool_use: [
    'left out',
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: secret('q') } },
  ],
  web_search_tool_result: [
    'left out',
    { type: 'web_search_tool_result', tool_use_id: 's', content: [secret('search')] },
  ],
  web_fetch_tool_result: [
    'left out',
    { type: 'web_fetch_tool_result', tool_use_id: 's', content: { url: secret('fetch') } },
  ],
  code_execution_tool_result: [
    'left out',
    { type: 'code_execution_tool_result', content: { stdout: secret('code') } },
  ],
  bash_code_execution_tool_result: [
    'left out',
    { type: 'bash_code_execution_tool_result', content: { stdout: secret('bash') } },
  ],
  text_editor_code_execution_tool_result: [
    'left out',
    { type: 'text_editor_code_execution_tool_result', content: { text: secret('editor') } },
  ],
  tool_search_tool_result: ['left out', { type: 'tool_search_tool_result', content: [secret('tools')] }],
  container_upload: ['left out', { type: 'container_upload', file_id: secret('file') }],
};

let server: OddServer;
beforeAll(async () => {
  server = await OddServer.start();
});
afterAll(() => server?.close());

const valuesOf = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, [, value]]) => [name, value]));
const secretsWith = (fate: Fate, ...all: readonly Fields[]): string[] =>
  all
    .flatMap((fields) => Object.values(fields))
    .filter(([of]) => of === fate)
    .flatMap(([, value]) => JSON.stringify(value).match(/secret-\w+/g) ?? []);

test.each([
  [
    'private-llm' as const,
    {
      ...valuesOf(chatAnswer),
      choices: [
        { ...valuesOf(chatChoice), message: { ...valuesOf(chatMessage), tool_calls: [valuesOf(chatCall)] } },
      ],
    },
    [chatAnswer, chatChoice, chatMessage, chatCall],
    'length',
  ],
  [
    'anthropic' as const,
    { ...valuesOf(messagesAnswer), content: Object.values(valuesOf(messagesBlocks)) },
    [messagesAnswer, messagesBlocks],
    'max_tokens',
  ],
])(
  'everything that an answer of %s can carry is read, told, returned or left out',
  async (provider, body, fields, reason) => {
    server.answers({ body });
    const answer = await server.ask({ provider, tools: [add] });
    expect(answer).toMatchObject({
      text: 'the text',
      toolCalls: [{ callId: 'call_1', name: 'add', input: { a: 1 } }],
      usage: { inputTokens: 7, outputTokens: 3, isEstimated: false },
      finish: 'cut',
      finishReason: reason,
    });
    const kept = JSON.stringify(answer);
    for (const value of secretsWith('left out', ...fields)) expect(kept).not.toContain(value);
    const { said, ...shown } = answer;
    for (const value of secretsWith('goes back', ...fields)) {
      expect(JSON.stringify(said)).toContain(value);
      expect(JSON.stringify(shown)).not.toContain(value);
    }
  },
);
