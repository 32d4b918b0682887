import type { ModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { Provider } from '@botyard/contracts/providers';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { AssistantModelMessage, ModelMessage, ToolCallPart } from 'ai';
import type { SaidUsage } from './read-answer.ts';

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
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
  /** The model may call no more tools in this step. */
  mustAnswer: boolean;
  maxOutputTokens: number;
  settings?: Pick<ModelSettings, 'temperature' | 'reasoningEffort'> | undefined;
  /** Called with the model's text as it arrives. Without it the answer is read as a whole. */
  onText?: ((text: string) => void) | undefined;
  signal: AbortSignal;
}

/** A model's answer in one step: text, calls of tools, or both. */
export interface ModelAnswer {
  /** Empty if there is no text. */
  text: string;
  toolCalls: AskedTool[];
  /** The same in the form that the model's next step needs. */
  said: AssistantModelMessage[];
  usage: TokenUse;
}

/** Far more than any answer within `maxOutputTokens`: it stops servers that ignore limits. */
export const maxAnswerUnits = 100_000;
/** Calls beyond these are ignored. */
const maxCallsOfStep = 8;
const maxInputUnits = 8000;
const maxNameUnits = 64;
const unitsPerToken = 4;

/** Postgres can't store U+0000, and an answer that can't be stored would be retried forever. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, maxAnswerUnits).toWellFormed();

/**
 * A visible letter, digit or sign. Spaces, control, format and filling characters, and marks on their own don't count.
 */
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether the text has nothing visible: platforms refuse such messages. */
export const isBlank = (text: string): boolean => !visible.test(text);

/**
 * Converts a model's answer into the form for its next step, with its calls. Names and arguments that a provider would
 * refuse are replaced; the tool's result reports the fault.
 */
export function readSaid(messages: readonly ModelMessage[]): {
  said: AssistantModelMessage[];
  toolCalls: AskedTool[];
} {
  const toolCalls: AskedTool[] = [];
  let unitsLeft = maxAnswerUnits;
  const shorten = (text: string): string => {
    const shown = text.slice(0, unitsLeft).toWellFormed();
    unitsLeft -= shown.length;
    return shown;
  };
  const said = messages
    .filter((message) => message.role === 'assistant')
    .map(({ content }) => {
      const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
      const kept = parts.flatMap((part): Exclude<AssistantModelMessage['content'], string> => {
        if (part.type === 'text' || part.type === 'reasoning') return [{ ...part, text: shorten(part.text) }];
        if (part.type !== 'tool-call' || toolCalls.length >= maxCallsOfStep) return [];
        const { call, shown } = readCall(part);
        toolCalls.push(call);
        return [shown];
      });
      return { role: 'assistant' as const, content: kept };
    });
  return { said, toolCalls };
}

function readCall(part: ToolCallPart): { call: AskedTool; shown: ToolCallPart } {
  const { toolCallId, input } = part;
  const toolName = part.toolName.replaceAll(/[^\w-]/g, '_').slice(0, maxNameUnits) || 'unnamed';
  const isShort = (JSON.stringify(input) ?? '').length <= maxInputUnits;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return {
    call: { callId: toolCallId, name: toolName, input: isShort ? input : undefined },
    shown: { type: 'tool-call', toolCallId, toolName, input: isShort && isObject ? input : {} },
  };
}

interface Asked {
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
}

/**
 * The largest possible cost of an aborted call: the provider bills its input, and the output that it continued to
 * write.
 */
export const boundOfUnheard = (asked: Asked & { maxOutputTokens: number }): TokenUse => ({
  inputTokens: estimateInput(asked),
  outputTokens: asked.maxOutputTokens,
  isEstimated: true,
});

function estimateInput({ instructions, messages, tools }: Asked): number {
  const schemas = tools.length > 0 ? JSON.stringify(tools).length : 0;
  return Math.ceil((instructions.length + schemas + unitsOf(messages)) / unitsPerToken);
}

/** The provider's own numbers, or an estimate from the lengths if they are missing or implausible. */
export function countTokens(usage: SaidUsage, asked: Asked, said: readonly ModelMessage[]): TokenUse {
  const { inputTokens, outputTokens } = usage;
  const unitsSaid = unitsOf(said);
  const isOutputSaid = outputTokens !== undefined && (outputTokens > 0 || unitsSaid === 0);
  if (inputTokens !== undefined && isOutputSaid) return { inputTokens, outputTokens, isEstimated: false };
  return {
    inputTokens: inputTokens ?? estimateInput(asked),
    outputTokens: isOutputSaid ? outputTokens : Math.ceil(unitsSaid / unitsPerToken),
    isEstimated: true,
  };
}

const unitsOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + textOf(content).length, 0);

/** The length that a picture counts as: more tokens than providers bill for one, at four units each. */
const unitsOfPicture = 8000;
const standsForPicture = ' '.repeat(unitsOfPicture);

/** A message's text for measuring its length. */
export function textOf(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map(textOfPart).join('');
}

function textOfPart(part: Exclude<ModelMessage['content'], string>[number]): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file' || part.type === 'image' ? standsForPicture : JSON.stringify(part);
}
