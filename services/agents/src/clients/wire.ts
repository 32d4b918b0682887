import type { AssistantModelMessage, ModelMessage, ToolCallPart } from 'ai';

/** A tool that a model may call. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
}

/** A call that a model asks for. Nothing of it is checked: neither that there is such a tool, nor the arguments. */
export interface AskedTool {
  callId: string;
  name: string;
  /** Whatever was given as arguments; `undefined` when it was far too long. */
  input: unknown;
}

export interface TokenUse {
  inputTokens: number;
  outputTokens: number;
  /** The provider gave no numbers: these are estimated from the lengths. */
  isEstimated: boolean;
}

/** Far more than an answer can have that keeps to `maxOutputTokens`: a server that keeps to no limit doesn't get further. */
const mostAnswerUnits = 100_000;
/** Calls beyond these are as good as never asked for. */
const mostCallsOfStep = 8;
const mostInputUnits = 8000;
const mostNameUnits = 64;
/** No call uses so many; what a server says beyond it is a mistake, and a sum of them has to fit a column. */
const mostTokens = 10_000_000;
const unitsPerToken = 4;

/** Postgres can't keep U+0000, and an answer that can't be kept would fail for ever. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, mostAnswerUnits).toWellFormed();

/**
 * What a model said, as it is shown to it again in the next step, and the calls that are in it. Names and arguments that
 * a provider would refuse to be shown are mended: the refusal is for the tool's result to say.
 */
export function readSaid(messages: readonly ModelMessage[]): {
  said: AssistantModelMessage[];
  toolCalls: AskedTool[];
} {
  const toolCalls: AskedTool[] = [];
  let unitsLeft = mostAnswerUnits;
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
        if (part.type !== 'tool-call' || toolCalls.length >= mostCallsOfStep) return [];
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
  const toolName = part.toolName.replaceAll(/[^\w-]/g, '_').slice(0, mostNameUnits) || 'unnamed';
  const isShort = (JSON.stringify(input) ?? '').length <= mostInputUnits;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return {
    call: { callId: toolCallId, name: toolName, input: isShort ? input : undefined },
    shown: { type: 'tool-call', toolCallId, toolName, input: isShort && isObject ? input : {} },
  };
}

/** The provider's own numbers; or, where it gives none that make sense, estimates from the lengths. */
export function countTokens(
  usage: { inputTokens: number | undefined; outputTokens: number | undefined },
  asked: { instructions: string; messages: readonly ModelMessage[]; tools: readonly OfferedTool[] },
  said: readonly ModelMessage[],
): TokenUse {
  const { inputTokens, outputTokens } = usage;
  if (isCount(inputTokens) && isCount(outputTokens)) return { inputTokens, outputTokens, isEstimated: false };
  const { instructions, messages, tools } = asked;
  const schemas = tools.length > 0 ? JSON.stringify(tools).length : 0;
  return {
    inputTokens: Math.ceil((instructions.length + schemas + unitsOf(messages)) / unitsPerToken),
    outputTokens: Math.ceil(unitsOf(said) / unitsPerToken),
    isEstimated: true,
  };
}

const isCount = (tokens: number | undefined): tokens is number =>
  Number.isInteger(tokens) && tokens! >= 0 && tokens! <= mostTokens;

const unitsOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + textOf(content).length, 0);

/** What a message is made of, for its length. */
export function textOf(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('');
}
