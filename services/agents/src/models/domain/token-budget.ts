import type { TokenUse } from '../clients/wire.ts';

/** The longest answer that is requested from a model, unless its agent has its own limit. */
export const usualOutputTokens = 4096;
/** A step with tools needs at least this many. */
const leastOutputTokens = 256;
/** With tools, the budget is this many times the question, plus room for the tools' results. */
const questionsWithTools = 6;
const roomForResults = 48_000;
const leastRoom = 2000;

interface BudgetOptions {
  requestTokens: number;
  hasTools: boolean;
  /** In tokens. */
  longestAnswer?: number | undefined;
}

/**
 * The most that a turn may use, by the estimate of `clients/tokens.ts`. It is reserved before the model is called, and
 * the loop stays within it (ADR 12).
 */
export class TokenBudget {
  readonly estimate: { inputTokens: number; outputTokens: number };
  readonly #longest: number;
  #input: number;
  #output: number;

  constructor({ requestTokens, hasTools, longestAnswer = usualOutputTokens }: BudgetOptions) {
    this.#longest = longestAnswer;
    // A limit on answers doesn't reduce the room for steps with tools, because a tool call is an answer, too.
    const forSteps = Math.max(longestAnswer, usualOutputTokens);
    this.estimate = hasTools
      ? {
          inputTokens: requestTokens * questionsWithTools + roomForResults,
          outputTokens: forSteps + longestAnswer,
        }
      : { inputTokens: requestTokens, outputTokens: longestAnswer };
    this.#input = this.estimate.inputTokens;
    this.#output = this.estimate.outputTokens;
  }

  spend({ inputTokens, outputTokens }: TokenUse): void {
    this.#input -= inputTokens;
    this.#output -= outputTokens;
  }

  /** Whether a request of this size may be made with tools and still leaves room for another one without tools. */
  hasRoomForTools(requestTokens: number): boolean {
    return this.#input >= requestTokens * 2 + leastRoom && this.#output >= this.#longest + this.#least;
  }

  /** Whether a call with this usage may be repeated. */
  hasRoomAgain({ inputTokens }: Pick<TokenUse, 'inputTokens'>): boolean {
    return this.#input >= inputTokens && this.#output >= this.#least;
  }

  /** The number of tokens by which a request of this size may grow. */
  roomAfter(requestTokens: number): number {
    return Math.max(this.#input - requestTokens, 0);
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
