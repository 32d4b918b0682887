import { Secret } from '@botyard/shared/secrets/secret';
import { describe, expect, test } from 'vitest';
import type { Adjustment } from '../../../src/models/clients/adjustments.ts';
import { readRefusal, refusedIn } from '../../../src/models/clients/refusal.ts';

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

/** How providers refuse the content of a request. */
const ofContent: readonly (readonly [who: string, status: number, body: unknown])[] = [
  [
    'Azure',
    400,
    error(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      {
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    ),
  ],
  [
    'OpenAI',
    400,
    error('Invalid prompt: your prompt was flagged as potentially violating our usage policy.'),
  ],
  ['Anthropic', 400, error('Output blocked by content filtering policy', { type: 'invalid_request_error' })],
  ['DeepSeek', 400, error('Content Exists Risk', { code: 'invalid_request_error' })],
  [
    'DashScope',
    400,
    error(
      '<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.',
      {
        code: 'data_inspection_failed',
      },
    ),
  ],
  ['Zhipu', 400, error('系统检测到输入或生成内容可能包含不安全或敏感内容', { code: '1301' })],
  ['Moonshot', 400, error('The request was rejected because it was considered high risk')],
  ['xAI', 403, { code: 'The caller does not have permission', error: 'Content violates usage guidelines.' }],
  [
    'OpenRouter',
    403,
    error('openai/gpt-4 requires moderation. Your input was flagged for "harassment".', { code: 403 }),
  ],
];

/** How providers say that a request is too long, with the window if they name it. */
const ofLength: readonly (readonly [who: string, status: number, body: unknown, contextTokens?: number])[] = [
  [
    'OpenAI',
    400,
    error(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      {
        code: 'context_length_exceeded',
      },
    ),
    8192,
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (904 in the messages, 4096 in the completion).",
    },
    4096,
  ],
  [
    'vLLM, by its engine',
    400,
    { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' },
    8192,
  ],
  ['Anthropic', 400, error('prompt is too long: 210000 tokens > 200000 maximum'), 200_000],
  [
    'Anthropic, with the answer',
    400,
    error(
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
    ),
    200_000,
  ],
  ['Anthropic, by size', 413, error('Request exceeds the maximum size', { type: 'request_too_large' })],
  ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 512 tokens' }],
  [
    'llama.cpp',
    400,
    error('the request exceeds the available context size, try increasing it', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5000,
      n_ctx: 4096,
    }),
    4096,
  ],
  [
    'llama.cpp, earlier',
    500,
    error('the request exceeds the available context size. try increasing the context size'),
  ],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.',
    },
  ],
  [
    'OpenRouter',
    400,
    error(
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 in the output).",
      { code: 400 },
    ),
    32_768,
  ],
  [
    'DeepSeek',
    400,
    error("This model's maximum context length is 65536 tokens. However, you requested 70000 tokens."),
    65_536,
  ],
  [
    'DashScope',
    400,
    error('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', {
      code: 'invalid_parameter_error',
    }),
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message:
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    },
    32_768,
  ],
  [
    'Groq',
    400,
    error('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
  ],
  [
    'Groq, by its limit of a minute',
    413,
    error('Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000', {
      code: 'rate_limit_exceeded',
    }),
  ],
  [
    'Gemini',
    400,
    error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    1_048_576,
  ],
  [
    'xAI',
    400,
    {
      code: 'x',
      error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    },
    131_072,
  ],
  [
    'TGI',
    422,
    {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097.',
      error_type: 'validation',
    },
  ],
  [
    'Azure',
    400,
    error("This model's maximum context length is 16,385 tokens.", { code: 'context_length_exceeded' }),
    16_385,
  ],
];

/** How providers refuse a part of a request. */
const ofParts: readonly (readonly [adjustment: Adjustment, status: number, body: unknown])[] = [
  [
    'max_tokens',
    400,
    error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    ),
  ],
  [
    'max_completion_tokens',
    422,
    {
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'max_completion_tokens'],
          msg: 'Extra inputs are not permitted',
          input: 4096,
        },
      ],
    },
  ],
  [
    'temperature',
    400,
    error(
      "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.",
      { param: 'temperature', code: 'unsupported_value' },
    ),
  ],
  [
    'temperature',
    400,
    {
      error: {
        cause: JSON.stringify(
          error("Unsupported parameter: 'temperature' is not supported with this model."),
        ),
        code: 400,
        message: 'the call failed',
      },
    },
  ],
  [
    'temperature',
    400,
    error('`temperature` is deprecated for this model.', { type: 'invalid_request_error' }),
  ],
  [
    'top_p',
    400,
    error('`temperature` and `top_p` cannot both be specified for this model.', { param: 'top_p' }),
  ],
  ['stop', 400, error("Unsupported parameter: 'stop' is not supported with this model.", { param: 'stop' })],
  ['reasoning_effort', 400, error('"llama3" does not support thinking')],
  [
    'reasoning_effort',
    400,
    error('Unrecognized request argument supplied: reasoning_effort', { type: 'invalid_request_error' }),
  ],
  [
    'stream_options',
    400,
    error('[] is not of type `object` - stream_options: Extra inputs are not permitted'),
  ],
  [
    'stream_options',
    422,
    {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'stream_options', 'include_usage'],
            msg: 'Extra inputs are not permitted',
            input: true,
          },
        ],
      },
    },
  ],
  [
    'parallel_tool_calls',
    400,
    error("Unsupported parameter: 'parallel_tool_calls' is not supported with this model."),
  ],
  ['response_format', 400, error('response_format is not supported')],
  ['tools', 400, error('registry.ollama.ai/library/gemma3:4b does not support tools')],
  ['tools', 404, error('No endpoints found that support tool use.', { code: 404 })],
  ['tools', 501, error('tools param requires --jinja flag')],
  [
    'tool_choice',
    400,
    error('"auto" tool choice requires --enable-auto-tool-choice; tool_choice is not supported'),
  ],
  ['images', 404, error('No endpoints found that support image input', { code: 404 })],
  ['images', 400, error('this model does not support image input')],
  ['system', 400, error('System role not supported')],
  ['system', 500, error('Jinja Exception: System role not supported')],
  [
    'system',
    400,
    error("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
      param: 'messages[0].role',
    }),
  ],
  [
    'developer',
    400,
    error(
      "'developer' is not one of ['system', 'assistant', 'user', 'tool', 'function'] - invalid 'messages.0.role'",
    ),
  ],
  ['thoughts', 400, error('The reasoning_content in the input message is not supported.')],
  [
    'null_content',
    400,
    error("Invalid value for 'content': expected a string, got null.", { param: 'messages.[2].content' }),
  ],
];

const everything = new Set(ofParts.map(([adjustment]) => adjustment));
const read = (status: number, body: unknown) => readRefusal(status, JSON.stringify(body), null);

describe('a refusal', () => {
  test.each(ofContent)('of content is recognized in the words of %s', (_, status, body) => {
    expect(read(status, body)?.kind).toBe('content');
  });

  test.each(ofLength.map(([who, ...refused]) => ({ who, refused })))(
    'of length is recognized in the words of $who',
    ({ refused }) => {
      const [status, body, contextTokens] = refused;
      expect(read(status, body)).toMatchObject({ kind: 'length' });
      if (contextTokens) expect(read(status, body)?.contextTokens).toBe(contextTokens);
    },
  );

  test.each(ofParts)('names %s as what is refused', (adjustment, status, body) => {
    const refusal = read(status, body);
    expect(refusal?.kind).toBe('request');
    expect(refusedIn(refusal!, new Set([...everything]))).toBe(adjustment);
  });

  test('names nothing that the request does not have', () => {
    const refusal = read(400, error('this model does not support tools'));
    expect(refusedIn(refusal!, new Set(['temperature']))).toBeUndefined();
  });

  test.each<readonly [number, object]>([
    [401, error('Incorrect API key provided')],
    [402, error('Insufficient credits')],
    [403, error('Country not supported', { code: 'unsupported_country_region_territory' })],
    [
      404,
      error('The model `m` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    ],
    [404, error('model "m" not found, try pulling it first')],
    [429, error('Rate limit reached')],
    [500, error('CUDA out of memory')],
    [503, error('The model is overloaded')],
  ])('is none when %i is about the key, the model or the server', (status, body) => {
    expect(read(status, body)).toBeUndefined();
  });

  test('is shown without the key, without other secrets, and not at any length', () => {
    const key = new Secret('sk-test-0123456789');
    const text = JSON.stringify(error(`Bad request with sk-test-0123456789: ${'x'.repeat(5000)}`));
    const { reason } = readRefusal(400, text, key)!;
    expect(reason).toMatch(/^Bad request with \[secret\]/);
    expect(reason.length).toBeLessThanOrEqual(300);
  });

  test('of any size and depth is read quickly', () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const began = performance.now();
    for (const text of [
      deep,
      JSON.stringify(error('max_tokens '.repeat(6000))),
      '{"error":'.repeat(7000),
      'x'.repeat(64_000),
    ])
      readRefusal(400, text, null);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
