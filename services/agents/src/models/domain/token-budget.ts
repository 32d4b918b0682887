import type { ModelMessage } from 'ai';
import { type OfferedTool, type TokenUse, textOf } from '../clients/wire.ts';

/** The longest answer requested from a model, unless its agent has a limit of its own. */
export const usualOutputTokens = 4096;
/** A step with tools needs at least this many. */
const leastOutputTokens = 256;
/** With tools: the question this many times, and room for the tools' results. */
const questionsWithTools = 3;
const roomForResults = 48_000;
const leastRoom = 2000;

/** Cost of a request's parts besides their texts. */
const bytesOfFrame = 16;

/** A request to a model. */
export interface ModelRequest {
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
}

export function bytesOf({ instructions, messages, tools }: ModelRequest): number {
  const parts = [instructions, ...messages.map(({ content }) => textOf(content)), ...tools.map(toText)];
  return parts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8') + bytesOfFrame, 0);
}

const toText = (tool: OfferedTool): string => JSON.stringify(tool);

interface BudgetOptions {
  requestBytes: number;
  hasTools: boolean;
  /** Tokens. */
  longestAnswer?: number | undefined;
}

/**
 * The most that a turn may use: it is reserved before the model is asked, and the loop keeps to it, so that the
 * reservation is a bound (ADR 12). A token has at least one byte, and requests are measured in bytes.
 */
export class TokenBudget {
  readonly estimate: { inputTokens: number; outputTokens: number };
  readonly #longest: number;
  #input: number;
  #output: number;

  constructor({ requestBytes, hasTools, longestAnswer = usualOutputTokens }: BudgetOptions) {
    this.#longest = longestAnswer;
    // Short answers don't reduce the room for steps with tools: a call of a tool is an answer, too.
    const forSteps = Math.max(longestAnswer, usualOutputTokens);
    this.estimate = hasTools
      ? {
          inputTokens: requestBytes * questionsWithTools + roomForResults,
          outputTokens: forSteps + longestAnswer,
        }
      : { inputTokens: requestBytes, outputTokens: longestAnswer };
    this.#input = this.estimate.inputTokens;
    this.#output = this.estimate.outputTokens;
  }

  spend({ inputTokens, outputTokens }: TokenUse): void {
    this.#input -= inputTokens;
    this.#output -= outputTokens;
  }

  /** Whether a request of this size may be made with tools and still leave room for another without any. */
  hasRoomForTools(requestBytes: number): boolean {
    return this.#input >= requestBytes * 2 + leastRoom && this.#output >= this.#longest + this.#least;
  }

  /** Whether a call with this usage may be repeated. */
  hasRoomAgain({ inputTokens }: Pick<TokenUse, 'inputTokens'>): boolean {
    return this.#input >= inputTokens && this.#output >= this.#least;
  }

  /** Bytes by which a request of this size may grow and still be made. */
  roomAfter(requestBytes: number): number {
    return Math.max(this.#input - requestBytes, 0);
  }

  /** The longest answer allowed in the next step: it always leaves room for a last one in words. */
  maxOutputTokens(isLast: boolean): number {
    return Math.min(this.#longest, isLast ? this.#output : this.#output - this.#longest);
  }

  get #least(): number {
    return Math.min(leastOutputTokens, this.#longest);
  }
}
