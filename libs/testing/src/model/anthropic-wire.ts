/** Answers, streams and errors of Anthropic's `/v1/messages`. */
import { argumentsText, type Completion, type ToolCall } from './wire.ts';

const stopReasons: Record<string, string> = { tool_calls: 'tool_use', length: 'max_tokens' };

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function anthropicError(status: number, message?: string): Record<string, unknown> {
  const error = {
    type: errorTypes[status] ?? 'api_error',
    message: message ?? `The fake was told to answer ${status}`,
  };
  return { type: 'error', error, request_id: 'req_fake' };
}

export function anthropicAnswer(completion: Completion): Record<string, unknown> {
  const { text, toolCalls, usage } = completion;
  const calls = toolCalls.map((call) => ({ ...toolUse(call), input: inputOf(call) }));
  const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...calls];
  return { ...message(completion), content, ...ending(completion), usage: tokens(usage) };
}

/** The events of a stream, in order; `words` is the text, split into the chunks to send. */
export function anthropicEvents(completion: Completion, words: readonly string[]): Record<string, unknown>[] {
  const { toolCalls, usage } = completion;
  const start = { ...message(completion), content: [], stop_reason: null, stop_sequence: null };
  const blocks = [
    ...(words.length === 0 ? [] : [textBlock(words)]),
    ...toolCalls.map((call) => ({
      start: { ...toolUse(call), input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: argumentsText(call) }],
    })),
  ];
  return [
    { type: 'message_start', message: { ...start, usage: { ...tokens(usage), output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block.start },
      ...block.deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: ending(completion),
      usage: { output_tokens: usage.completion_tokens },
    },
    { type: 'message_stop' },
  ];
}

function textBlock(words: readonly string[]) {
  return {
    start: { type: 'text', text: '' } as Record<string, unknown>,
    deltas: words.map((text): Record<string, unknown> => ({ type: 'text_delta', text })),
  };
}

function message({ id, model }: Completion): Record<string, unknown> {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

function ending({ finishReason }: Completion): Record<string, unknown> {
  return { stop_reason: stopReasons[finishReason] ?? 'end_turn', stop_sequence: null };
}

function toolUse({ id, name }: ToolCall): Record<string, unknown> {
  return { type: 'tool_use', id, name };
}

/**
 * Complete answers hold a value, so text that is not JSON is sent as a string, which the real server would never do.
 */
function inputOf(call: ToolCall): unknown {
  try {
    return JSON.parse(argumentsText(call));
  } catch {
    return call.arguments;
  }
}

function tokens(usage: Completion['usage']): Record<string, number> {
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}
