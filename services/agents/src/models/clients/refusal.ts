import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Adjustment } from './adjustments.ts';
import { isRecord, listOf, longestOf, parseJson, recordOf } from './json.ts';

/** Why a provider refused a request: its content, its length, or something else about it. */
export interface Refusal {
  kind: 'content' | 'length' | 'request';
  /** The provider's own words, without the key and other secrets, for people who run the agent. */
  reason: string;
  /** Everything that the error says, in lower case, for the search for what it refuses. */
  words: string;
  /** The parameter that the error names in a field of its own. */
  parameter: string;
  /** The model's window, if the error names it. */
  contextTokens?: number | undefined;
  /** The length of the question, if the error names it. */
  inputTokens?: number | undefined;
  /** The longest answer of the model, if the error names it. */
  maxOutputTokens?: number | undefined;
}

const maxReasonUnits = 300;
const maxWordsUnits = 4000;
const maxTexts = 40;

/**
 * How providers say that the content was refused: OpenAI, Azure, Anthropic, Gemini, DeepSeek, DashScope, Zhipu,
 * Moonshot, MiniMax, xAI, OpenRouter, Groq and Mistral.
 */
const ofContent =
  /content[_ ]?filter|content management policy|responsibleai|content[_ ]policy|usage polic|usage guidelines|safety[_ ]check|content filtering|data_?inspection|inappropriate content|content exists risk|high risk|input was flagged|requires moderation|prompt was flagged|flagged (?:as|by|for)|prohibited[_ ]content|blocked by (?:our )?(?:safety|guardrail|moderation)|guardrail|new_sensitive|sensitive (?:content|words)|敏感|不安全|content_moderation|moderation_blocked|invalid_prompt/;

/**
 * How they say that it is too long: OpenAI, Azure and vLLM, Anthropic, Gemini, Mistral, Cohere, Bedrock, xAI, Groq,
 * DashScope, Moonshot, Zhipu, Ollama, llama.cpp, LM Studio and TGI.
 */
const ofLength =
  /context[_ ]length|context[_ ]window|context size|maximum context|context limit|context_length_exceeded|exceed_context|prompt is too long|prompt too long|input is too long|input length|too many (?:input )?tokens|token count|maximum prompt length|maximum model length|too large for model|reduce (?:the length|your message|your prompt)|range of input length|token limit|tokens? (?:exceed|must be)|inputs?` (?:tokens|must have)|request_too_large|request too large|string_above_max_length|prompt contains \d+ tokens|context the overflows|context overflow|input token length|prompt 超长|input token|payload too large|entity too large/;

/** Errors with these statuses are about the request. Others may be, if they say so. */
const ofRequest: ReadonlySet<number> = new Set([400, 405, 409, 413, 415, 422, 424]);
const mayBeOfRequest: ReadonlySet<number> = new Set([403, 404, 500, 501]);
/** Such an error has to name one of these: otherwise it is about a key, a model or a failing server. */
const ofFeature =
  /does not support|doesn't support|not supported|unsupported|no endpoints found that (?:can|support)|raise_exception|jinja|template|not enabled|only .{0,40}roles? (?:is|are) supported|roles must alternate|must be provided as a base64|image input/;

/** The refusal, or `undefined` for errors that have nothing to do with the request. */
export function readRefusal(status: number, text: string, apiKey: Secret | null): Refusal | undefined {
  const parsed = parseJson(text);
  const texts = textsIn(parsed ?? text);
  const words = texts.join('\n').slice(0, maxWordsUnits).toLowerCase();
  const kind = kindOf(status, words);
  if (!kind) return undefined;
  const limit = windowIn(parsed) ?? numberIn(words, limits);
  return {
    kind,
    reason: maskedReason(messageIn(parsed) ?? longestOf(texts), apiKey),
    words,
    parameter: parameterIn(parsed),
    contextTokens: kind === 'length' ? limit : undefined,
    inputTokens: numberIn(words, inputs),
    maxOutputTokens: numberIn(words, outputs),
  };
}

function kindOf(status: number, words: string): Refusal['kind'] | undefined {
  const isOfRequest = ofRequest.has(status);
  if (!isOfRequest && !mayBeOfRequest.has(status)) return undefined;
  if (ofContent.test(words)) return 'content';
  if (status !== 403 && status !== 404 && (ofLength.test(words) || status === 413)) return 'length';
  if (isOfRequest) return 'request';
  return status !== 403 && ofFeature.test(words) && !/model .{0,80}(?:does not exist|not found)/.test(words)
    ? 'request'
    : undefined;
}

const number = '([\\d,]{1,12})';
const limits = [
  new RegExp(`\\d \\+ [\\d,]{1,12} > ${number}`),
  new RegExp(`(?:maximum|max) (?:context|prompt|model) length (?:is|of|of the model is) ${number}`),
  new RegExp(`maximum model length of ${number}`),
  new RegExp(`context (?:limit|size|window|length)[^\\d]{0,30}${number}`),
  new RegExp(`> ${number} maximum`),
  new RegExp(`${number} maximum context length`),
  new RegExp(`maximum number of tokens allowed \\(?${number}`),
  new RegExp(`token limit:? ${number}`),
];
const inputs = [
  new RegExp(`${number} (?:tokens )?(?:in|of|from) (?:the |your )?(?:messages|input|prompt|text)`),
  new RegExp(`has ${number} input tokens`),
  new RegExp(`prompt contains ${number} tokens`),
];
const outputs = [
  new RegExp(`supports at most ${number} completion tokens`),
  new RegExp(`> ${number}, which is the maximum allowed number of output tokens`),
  new RegExp(`range of max_tokens should be \\[1, ?${number}\\]`),
  new RegExp(
    `(?:max_tokens|max_completion_tokens)[^.\\n]{0,60}(?:less than or equal to|must be <=|at most|up to) \`?${number}`,
  ),
  new RegExp(`valid range of max_tokens is \\[1, ?${number}\\]`),
];

function numberIn(words: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const windowTokens = Number(pattern.exec(words)?.[1]?.replaceAll(',', ''));
    if (Number.isInteger(windowTokens) && windowTokens > 0 && windowTokens <= 100_000_000)
      return windowTokens;
  }
  return undefined;
}

/** llama.cpp's own field. */
function windowIn(parsed: unknown): number | undefined {
  const { n_ctx } = recordOf(recordOf(parsed).error);
  return typeof n_ctx === 'number' && Number.isInteger(n_ctx) && n_ctx > 0 ? n_ctx : undefined;
}

/** Every text in an error, in order. Some servers put another server's error into a text of their own. */
function textsIn(value: unknown, depth = 0): string[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.slice(0, maxTexts).flatMap((item) => textsIn(item, depth + 1));
  if (isRecord(value)) {
    // FastAPI repeats the refused input, which is the person's.
    const parts = Object.entries(value).filter(([name]) => name !== 'input');
    return parts.slice(0, maxTexts).flatMap(([, item]) => textsIn(item, depth + 1));
  }
  if (typeof value !== 'string') return [];
  const inner = value.trimStart().startsWith('{') ? parseJson(value) : undefined;
  return isRecord(inner) ? textsIn(inner, depth + 1) : [value];
}

/** The field of OpenAI's errors, or the place in a body that FastAPI names. */
function parameterIn(parsed: unknown): string {
  const { error, param, detail } = recordOf(parsed);
  const named = recordOf(error).param ?? param;
  if (typeof named === 'string') return named.toLowerCase();
  const place = listOf(recordOf(listOf(detail)[0]).loc).filter((part) => part !== 'body');
  return place.join('.').toLowerCase();
}

/** The sentence for people, where servers usually put it. */
function messageIn(parsed: unknown): string | undefined {
  const { error, message } = recordOf(parsed);
  const sentences = [recordOf(error).message, message, error];
  return sentences.find((sentence): sentence is string => typeof sentence === 'string' && sentence !== '');
}

function maskedReason(reason: string, apiKey: Secret | null): string {
  const masked = apiKey ? reason.replaceAll(apiKey.reveal(), '[secret]') : reason;
  return withoutSecrets(masked.slice(0, maxReasonUnits * 4))
    .replaceAll(addresses, '[address]')
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxReasonUnits)
    .toWellFormed();
}

/** Addresses in an error: those of the operator's servers are nobody else's business. */
const addresses =
  /\b\w{2,12}:\/\/\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?:com|net|org|io|ai|dev|cloud|local|internal|lan|svc|corp|home|example|test|cn|eu|de)\b(?::\d+)?|\b(?:localhost|[\w-]{1,63}):\d{2,5}\b/gi;

/** Words of an error that refuse whatever it names. */
const refuses =
  /not support|n't support|unsupported|unknown|unrecognized|unexpected|extra (?:inputs|fields)|not permitted|not allowed|invalid|deprecated|not enabled|cannot be|can't be|only the default|must be|too large|no endpoints found|not a valid|extra_forbidden|not implemented|requires|may not|only .{0,40}supported|must alternate|range of|incompatible|conflict/;

/** How errors name what can be left out, with the field that they may name. */
const names: readonly (readonly [adjustment: Adjustment, words: RegExp])[] = [
  // Errors about a role list the others, `tool` among them.
  ['developer', /['"]developer['"]|developer (?:role|message|instruction)/],
  ['max_completion_tokens', /max_completion_tokens/],
  ['max_tokens', /max_tokens|max_new_tokens/],
  ['stream_options', /stream_options|stream options/],
  ['stream', /\bstream(?:ing)?\b/],
  ['parallel_tool_calls', /parallel_tool_calls|parallel tool/],
  ['tool_choice', /tool_choice|tool choice/],
  ['strict', /\bstrict\b/],
  ['tools', /\btools?\b|tool[_ -]?(?:use|calling|calls)|function[_ ]call/],
  ['temperature', /temperature/],
  ['top_p', /\btop_p\b/],
  ['stop', /\bstop\b/],
  ['reasoning_effort', /reasoning[_ .]effort|does not support thinking|not support reasoning/],
  ['response_format', /response_format|json mode|structured output/],
  ['images', /\bimages?\b|image_url|image input|vision|multimodal|multi-modal/],
  ['system', /\bsystem (?:role|message|prompt|instruction)|role.{0,20}\bsystem\b|'system'|"system"/],
  ['thoughts', /reasoning_content|reasoning_details|thinking_blocks|\bthinking\b|signature|\breasoning\b/],
  ['null_content', /content.{0,40}(?:null|none|empty|required|string)|none is not an allowed/],
];

/** The part of this request that the error refuses. */
export function refusedIn(
  { words, parameter }: Refusal,
  present: ReadonlySet<Adjustment>,
): Adjustment | undefined {
  const able = names.filter(([adjustment]) => present.has(adjustment));
  const byField = able.find(
    ([adjustment]) => parameter === adjustment || parameter.startsWith(`${adjustment}[`),
  );
  const isNamed = refuses.test(words) || parameter !== '';
  return (byField ??
    (isNamed ? able.find(([, pattern]) => pattern.test(`${parameter}\n${words}`)) : undefined))?.[0];
}
