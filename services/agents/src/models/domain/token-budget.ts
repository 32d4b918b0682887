import type { ModelMessage } from 'ai';
import { type OfferedTool, type TokenUse, textOf } from '../clients/wire.ts';

/** The longest answer that a model is asked for, unless its agent says otherwise. */
export const usualOutputTokens = 4096;
/** Less than this is not worth a step with tools. */
const leastOutputTokens = 256;
/** With tools: the question so many times, and room for what the tools give. */
const questionsWithTools = 3;
const roomForResults = 48_000;
const leastRoom = 2000;

/** What the parts of a request cost beside their texts. */
const bytesOfFrame = 16;

/** What a model is asked with. */
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
 * What a turn may use at most: it is reserved before the model is asked, and the loop keeps to it, so that what was
 * reserved is a bound (ADR 12). A token is made of at least one byte, and requests are measured in bytes.
 */
export class TokenBudget {
  readonly estimate: { inputTokens: number; outputTokens: number };
  readonly #longest: number;
  #input: number;
  #output: number;

  constructor({ requestBytes, hasTools, longestAnswer = usualOutputTokens }: BudgetOptions) {
    this.#longest = longestAnswer;
    // Steps with tools have as much room as ever where the answers are short: a call of a tool is an answer, too.
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

  /** Whether a request of this size may be made with tools, so that another one, without any, can follow it. */
  hasRoomForTools(requestBytes: number): boolean {
    return this.#input >= requestBytes * 2 + leastRoom && this.#output >= this.#longest + this.#least;
  }

  /** Whether what has used so much may be asked for once more. */
  hasRoomAgain({ inputTokens }: Pick<TokenUse, 'inputTokens'>): boolean {
    return this.#input >= inputTokens && this.#output >= this.#least;
  }

  /** Bytes by which a request of this size may grow and still be made. */
  roomAfter(requestBytes: number): number {
    return Math.max(this.#input - requestBytes, 0);
  }

  /** The longest answer that the next step may have: a last one in words always fits behind it. */
  maxOutputTokens(isLast: boolean): number {
    return Math.min(this.#longest, isLast ? this.#output : this.#output - this.#longest);
  }

  get #least(): number {
    return Math.min(leastOutputTokens, this.#longest);
  }
}
