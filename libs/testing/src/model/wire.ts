/** Formats of an OpenAI-compatible server's requests, answers and errors. */
import type { Answer, Call } from '../fake/fake-server.ts';

export type ChatMessage = { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: unknown };

export type OfferedTool = { name: string; description: string; parameters: unknown };
export type ToolResult = { id: string; name: string; text: string };

export type ModelRequest = {
  /** The protocol of the request. The other fields are the same for both. */
  protocol: 'openai' | 'anthropic';
  model: string;
  /** In OpenAI's form: instructions are a `system` message, tool results are `tool` messages. */
  messages: ChatMessage[];
  /** The offered tools. */
  tools: OfferedTool[];
  /** The results of the last answer's calls, in order; empty if it had none. */
  toolResults: ToolResult[];
  stream: boolean;
  /** The whole body, as received. */
  body: Record<string, unknown>;
  headers: Call['headers'];
};

export type ToolCall = {
  /** Defaults to a new one. */
  id?: string;
  name: string;
  /** A string is sent unchanged, to test arguments that are not JSON. */
  arguments: Record<string, unknown> | string;
};

export type Completion = {
  id: string;
  created: number;
  model: string;
  text: string;
  toolCalls: (ToolCall & { id: string })[];
  finishReason: string;
  usage: Usage;
};
export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

/** The reply cut to what the request allows, with its usage. */
export function complete(
  id: string,
  request: ModelRequest,
  reply: { text?: string; toolCalls?: ToolCall[] },
): Completion {
  const maxTokens = Number(
    request.body.max_completion_tokens ?? request.body.max_tokens ?? Number.POSITIVE_INFINITY,
  );
  const whole = reply.text ?? '';
  const text = whole.slice(0, maxTokens * 4);
  const toolCalls = (reply.toolCalls ?? []).map((one, index) => ({ id: `${id}-call-${index + 1}`, ...one }));
  const promptChars = request.messages.reduce((sum, message) => sum + contentText(message).length, 0);
  const answerChars = text.length + (toolCalls.length === 0 ? 0 : JSON.stringify(toolCalls).length);
  const prompt = Math.ceil(promptChars / 4);
  const completion = Math.ceil(answerChars / 4);
  const ending = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    text,
    toolCalls,
    finishReason: text.length < whole.length ? 'length' : ending,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

/** The text of a message, whether it came as a string or as parts. */
export function contentText(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  if (!Array.isArray(message.content)) return '';
  return message.content
    .map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}

export function wantsUsage(request: ModelRequest): boolean {
  const options = request.body.stream_options;
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  );
}

export function toolCallsOnWire(toolCalls: Completion['toolCalls']): Record<string, unknown>[] {
  return toolCalls.map((one) => ({
    id: one.id,
    type: 'function',
    function: { name: one.name, arguments: argumentsText(one) },
  }));
}

/** The arguments as JSON, or the given text unchanged. */
export function argumentsText(call: ToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

export function wholeAnswer(completion: Completion): Record<string, unknown> {
  const { id, created, model, text, finishReason, usage } = completion;
  const calls = toolCallsOnWire(completion.toolCalls);
  const content = text === '' && calls.length > 0 ? null : text;
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
  return { id, object: 'chat.completion', created, model, choices, usage };
}

export function errorBody(status: number, message?: string): Record<string, unknown> {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'requests' : 'invalid_request_error';
  const code = status === 429 ? 'rate_limit_exceeded' : null;
  return {
    error: { message: message ?? `The fake model was told to answer ${status}`, type, param: null, code },
  };
}

export function unauthorized(call: Call): Answer {
  const key = (call.headers.authorization ?? '').replace(/^Bearer /, '');
  const shown = key.length < 12 ? '****' : `${key.slice(0, 3)}****${key.slice(-4)}`;
  const message =
    key === ''
      ? "You didn't provide an API key."
      : `Incorrect API key provided: ${shown}. You can find your API key in your account.`;
  return {
    status: 401,
    body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
  };
}
