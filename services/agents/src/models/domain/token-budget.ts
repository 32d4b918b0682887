import type { ModelMessage } from 'ai';
import { type OfferedTool, type TokenUse, textOf } from '../clients/wire.ts';

/** The longest answer that is requested from a model, unless its agent has its own limit. */
export const usualOutputTokens = 4096;
/** A step with tools needs at least this many. */
const leastOutputTokens = 256;
/** With tools, the budget is this many times the question, plus room for the tools' results. */
const questionsWithTools = 3;
const roomForResults = 48_000;
const leastRoom = 2000;

/** The cost of a request's structure around its texts. */
const bytesOfFrame = 16;

/** A request to a model. */
interface ModelRequest {
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
  /** In tokens. */
  longestAnswer?: number | undefined;
}

/**
 * The most that a turn may use. It is reserved before the model is called, and the loop stays within it, so that the
 * reservation is an upper bound (ADR 12). A token has at least one byte, and requests are measured in bytes.
 */
export class TokenBudget {
  readonly estimate: { inputTokens: number; outputTokens: number };
  readonly #longest: number;
  #input: number;
  #output: number;

  constructor({ requestBytes, hasTools, longestAnswer = usualOutputTokens }: BudgetOptions) {
    this.#longest = longestAnswer;
    // A limit on answers doesn't reduce the room for steps with tools, because a tool call is an answer, too.
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

  /** Whether a request of this size may be made with tools and still leaves room for another one without tools. */
  hasRoomForTools(requestBytes: number): boolean {
    return this.#input >= requestBytes * 2 + leastRoom && this.#output >= this.#longest + this.#least;
  }

  /** Whether a call with this usage may be repeated. */
  hasRoomAgain({ inputTokens }: Pick<TokenUse, 'inputTokens'>): boolean {
    return this.#input >= inputTokens && this.#output >= this.#least;
  }

  /** The number of bytes by which a request of this size may grow. */
  roomAfter(requestBytes: number): number {
    return Math.max(this.#input - requestBytes, 0);
  }

  /**
   * The longest answer that the next step may have. It always leaves room for a last answer with text, also after a
   * server that ignores limits has used up the budget.
   */
  maxOutputTokens(isLast: boolean): number {
    const left = isLast ? this.#output : this.#output - this.#longest;
    return Math.min(this.#longest, Math.max(left, this.#least));
  }

  get #least(): number {
    return Math.min(leastOutputTokens, this.#longest);
  }
}
