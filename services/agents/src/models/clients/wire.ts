import type { ModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { Provider } from '@botyard/contracts/providers';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { AssistantModelMessage, ModelMessage, ToolCallPart } from 'ai';
import type { Finish } from './finish.ts';
import type { PlainAnswer, PlainCall } from './plain-answer.ts';
import type { SaidUsage } from './read-answer.ts';
import { type MeasuredRequest, tokensOf, tokensOfContent, tokensOfRequest } from './tokens.ts';

/** A tool that a model may call. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
}

/** A call that a model requests. Neither the tool's existence nor the arguments have been checked. */
export interface AskedTool {
  callId: string;
  name: string;
  /** The arguments as received, or `undefined` if they were far too long. */
  input: unknown;
}

export interface TokenUse {
  inputTokens: number;
  outputTokens: number;
  /** The provider reported no numbers: these are estimated from the lengths. */
  isEstimated: boolean;
}

export interface ModelCall {
  tenantId: string;
  provider: Provider;
  model: string;
  apiKey: Secret | null;
  /** The only host that the key may be sent to (REQ-REL-16): the one it was stored for. */
  keyHost: string | null;
  /** Whether the key is the platform's: what its provider refuses is remembered for all tenants. */
  isPlatformKey?: boolean;
  /** The agent's last change. Refusals of the model that were learned earlier no longer count. */
  agentChangedAt?: Date | undefined;
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
  /** The model may call no more tools in this step. */
  mustAnswer: boolean;
  maxOutputTokens: number;
  settings?: Pick<ModelSettings, 'temperature' | 'reasoningEffort'> | undefined;
  /** Called with the model's text as it arrives. Without it the answer is read as a whole. */
  onText?: ((text: string) => void) | undefined;
  /**
   * Called before each attempt, which withdraws the text so far. Without it an answer of which something was passed on
   * is not asked for again.
   */
  onBegin?: (() => void) | undefined;
  signal: AbortSignal;
}

/** A question for the models that a provider has. */
export type ModelsAsked = Pick<ModelCall, 'tenantId' | 'provider' | 'apiKey' | 'keyHost' | 'signal'>;

/** A model's answer in one step: text, calls of tools, or both. */
export interface ModelAnswer {
  /** Empty if there is no text. */
  text: string;
  toolCalls: AskedTool[];
  /** The same in the form that the model's next step needs. */
  said: AssistantModelMessage[];
  usage: TokenUse;
  finish: Finish;
  /** The provider's own word for the end. */
  finishReason: string | null;
  /** The length of the model's thoughts, which are in neither text. */
  thoughtUnits: number;
  /** Parts that were left out of the request, because the model refuses them. */
  leftOut: readonly string[];
}

/** Far more than any answer within `maxOutputTokens`: it stops servers that ignore limits. */
export const maxAnswerUnits = 100_000;
/** Calls beyond these are ignored. */
const maxCallsOfStep = 8;
const maxInputUnits = 8000;
const maxNameUnits = 64;

/** Postgres can't store U+0000, and an answer that can't be stored would be retried forever. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, maxAnswerUnits).toWellFormed();

/**
 * A visible letter, digit or sign. Spaces, control, format and filling characters, and marks on their own don't count.
 */
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether the text has nothing visible: platforms refuse such messages. */
export const isBlank = (text: string): boolean => !visible.test(text);

/** The name under which the provider's own fields of an answer are kept for the turn's next step. */
export const ownFields = 'botyard';

/**
 * Converts a model's answer into the form for its next step, with its calls. Names and arguments that a provider would
 * refuse are replaced; the tool's result reports the fault.
 */
export function readSaid({ text, calls, extras }: Pick<PlainAnswer, 'text' | 'calls' | 'extras'>): {
  said: AssistantModelMessage[];
  toolCalls: AskedTool[];
} {
  const read = calls.slice(0, maxCallsOfStep).map(readCall);
  const shown = storable(text);
  const parts = [
    ...(shown === '' ? [] : [{ type: 'text' as const, text: shown }]),
    ...read.map((one) => one.shown),
  ];
  const own = isShort(extras, maxExtraUnits) ? optionsOf(extras) : {};
  return {
    said: parts.length === 0 ? [] : [{ role: 'assistant', content: parts, ...own }],
    toolCalls: read.map(({ call }) => call),
  };
}

type OwnFields = NonNullable<ToolCallPart['providerOptions']>[string];

/** Far more than the signed thoughts of one step. */
const maxExtraUnits = 1_000_000;

const isShort = (value: unknown, maxUnits: number): boolean =>
  (JSON.stringify(value) ?? '').length <= maxUnits;

function readCall({ id, name, input, extras }: PlainCall): { call: AskedTool; shown: ToolCallPart } {
  const toolName = name.replaceAll(/[^\w-]/g, '_').slice(0, maxNameUnits) || 'unnamed';
  const isUsable = isShort(input, maxInputUnits);
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return {
    call: { callId: id, name: toolName, input: isUsable ? input : undefined },
    shown: {
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input: isUsable && isObject ? input : {},
      ...optionsOf(extras),
    },
  };
}

const optionsOf = (extras: PlainCall['extras']): Pick<ToolCallPart, 'providerOptions'> =>
  Object.keys(extras).length === 0 ? {} : { providerOptions: { [ownFields]: extras as OwnFields } };

/**
 * The largest possible cost of an aborted call: the provider bills its input, and the output that it continued to
 * write.
 */
export const boundOfUnheard = (asked: MeasuredRequest & { maxOutputTokens: number }): TokenUse => ({
  inputTokens: tokensOfRequest(asked),
  outputTokens: asked.maxOutputTokens,
  isEstimated: true,
});

/** The provider's own numbers, or an estimate if they are missing or implausible. */
export function countTokens(
  usage: SaidUsage,
  asked: MeasuredRequest,
  { said, thoughtUnits }: { said: readonly ModelMessage[]; thoughtUnits: number },
): TokenUse {
  const { inputTokens, outputTokens } = usage;
  const estimate =
    said.reduce((sum, { content }) => sum + tokensOfContent(content), 0) + tokensOf(' '.repeat(thoughtUnits));
  const isOutputSaid = outputTokens !== undefined && (outputTokens > 0 || estimate === 0);
  if (inputTokens !== undefined && isOutputSaid) return { inputTokens, outputTokens, isEstimated: false };
  return {
    inputTokens: inputTokens ?? tokensOfRequest(asked),
    outputTokens: isOutputSaid ? outputTokens : estimate,
    isEstimated: true,
  };
}
