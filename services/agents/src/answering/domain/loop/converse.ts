import type { KeyAttempt, SourceCitation, ToolCallRecord } from '@botyard/contracts/http/context-traces';
import type { Say } from '@botyard/words/words';
import type { ModelMessage } from 'ai';
import type { ResolvedKey, WantedKey } from '../../../clients/keys.ts';
import type { Deps } from '../../../deps.ts';
import type { Scene } from '../../../external-tools/domain/calls/call.ts';
import { waitingSentence } from '../../../external-tools/domain/calls/sentences.ts';
import type { NewTicket } from '../../../external-tools/store/tickets.ts';
import { isBlank, type ModelAnswer, type ModelCall, type TokenUse } from '../../../models/clients/wire.ts';
import { askModel } from '../../../models/domain/ask-model.ts';
import type { Cause } from '../../../models/domain/cause.ts';
import { KeyTrail } from '../../../models/domain/key-trail.ts';
import type { Reserve } from '../../../models/domain/quota.ts';
import { bytesOf, type TokenBudget } from '../../../models/domain/token-budget.ts';
import type { Equipment } from '../../../tools/domain/equipment.ts';
import { callTools } from './call-tools.ts';

/** Model calls in one turn. In the last one no tools are allowed, so that the model answers. */
const maxSteps = 6;
const maxCalls = 12;

export interface Question {
  wanted: WantedKey;
  reserve: Reserve;
  /** The chat and the people for calls of external tools; `null` in a trial, which has no chat. */
  scene: Scene | null;
  /** The texts that stand in for the model's. */
  say: Say;
  model: string;
  settings: ModelCall['settings'];
  equipment: Equipment;
  messages: readonly ModelMessage[];
  budget: TokenBudget;
  /** Called with text and tool calls as they arrive. */
  watch?: { onText: (text: string) => void; onTool: (call: ToolCallRecord) => void };
  /**
   * Called when there will be no outcome, with the use until then. An error that it throws replaces the original error.
   */
  onAbandoned: (error: unknown, spent: Spent) => Promise<void>;
  signal: AbortSignal;
}

/** The use by a question that got no result. */
export interface Spent {
  /** The last key that was tried, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'> | undefined;
  usage: TokenUse;
  toolCalls: readonly ToolCallRecord[];
}

/** The result of a turn's question, with the use of all its attempts, including failed ones. */
export type Conversed = {
  /** The key of the last answer, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'>;
  keyAttempts: KeyAttempt[];
  toolCalls: ToolCallRecord[];
  citations: SourceCitation[];
  /** Calls that wait for an approval. They end the turn. */
  tickets: NewTicket[];
  /** The reason for handing the chat over to a person. It ends the turn, too. */
  handover: string | null;
  usage: TokenUse;
} & ConversedEnd;

type ConversedEnd = { text: string } | { failure: Cause; freeInMs?: number | undefined };

/**
 * Calls the model, runs the tools that it requests and calls it again with their results, until it answers with text.
 * Steps and calls are limited, and the budget and the signal's deadline apply.
 *
 * An empty answer is retried once. A key that fails in a later step is replaced by the next one, and no tool runs
 * twice. If the process dies, the whole turn runs again: built-in tools only read or repeat the same write, and
 * external tools record what they did. @throws as `askModel`.
 */
export async function converse(deps: Deps, question: Question): Promise<Conversed> {
  const turn = new Turn(question.messages);
  try {
    return await converseIn(deps, question, turn);
  } catch (error) {
    turn.uses(turn.trail.unheard);
    const { usage, toolCalls, trail } = turn;
    await question.onAbandoned(error, { key: trail.latest, usage, toolCalls });
    throw error;
  }
}

async function converseIn(deps: Deps, question: Question, turn: Turn): Promise<Conversed> {
  const { wanted, reserve, say, model, settings, equipment, budget, watch, signal } = question;
  const { instructions } = equipment;
  const tools = equipment.tools.map(({ offered }) => offered);
  for (let step = 1; ; step += 1) {
    const request = { instructions, tools, messages: turn.messages };
    const mayCall = tools.length > 0 && step < maxSteps && turn.mayCall;
    const isLast = !(mayCall && budget.hasRoomForTools(bytesOf(request)));
    const maxOutputTokens = budget.maxOutputTokens(isLast);
    const asked = {
      ...request,
      model,
      settings,
      mustAnswer: isLast,
      maxOutputTokens,
      signal,
      onText: watch?.onText,
    };
    const outcome = await askModel(deps, { wanted, reserve, question: asked, trail: turn.trail });
    if ('failure' in outcome) {
      turn.uses(outcome.unheard);
      if (turn.mayAskAfter(outcome.failure)) continue;
      const { failure, freeInMs } = outcome;
      return turn.ended(outcome.key, { failure, freeInMs });
    }
    const { answer, key } = outcome;
    turn.uses(answer.usage);
    budget.spend(answer.usage);
    const hasEnded = isLast || answer.toolCalls.length === 0;
    if (isSilent(answer) && budget.hasRoomAgain(answer.usage) && turn.mayAskAgain()) continue;
    if (hasEnded) return turn.ended(key, wordsOf(answer));
    turn.messages.push(...answer.said);
    if (!(await hasCalled(deps, question, { turn, answer }))) return turn.ended(key, { failure: 'timeout' });
    if (turn.handover !== null) return turn.ended(key, { text: say('handover') });
    if (turn.tickets.length > 0) return turn.ended(key, { text: waitingSentence(say, turn.namesOfWaiting) });
  }
}

const isSilent = ({ toolCalls, text }: ModelAnswer): boolean => toolCalls.length === 0 && isBlank(text);

const wordsOf = ({ text }: ModelAnswer): { text: string } | { failure: Cause } =>
  isBlank(text) ? { failure: 'empty answer' } : { text };

/** `false` when the turn's deadline passed first. */
async function hasCalled(
  deps: Deps,
  { wanted: { tenantId }, scene, equipment, budget, watch, signal }: Question,
  { turn, answer }: { turn: Turn; answer: ModelAnswer },
): Promise<boolean> {
  const tools = equipment.tools;
  const request = { instructions: equipment.instructions, tools: tools.map(({ offered }) => offered) };
  try {
    const called = await callTools(deps, {
      tenantId,
      scene,
      tools,
      asked: answer.toolCalls,
      callsLeft: maxCalls - turn.toolCalls.length,
      roomBytes: budget.roomAfter(bytesOf({ ...request, messages: turn.messages })),
      signal,
    });
    turn.messages.push(called.message);
    turn.toolCalls.push(...called.records);
    for (const record of called.records) watch?.onTool(record);
    turn.citations.push(...called.citations);
    turn.tickets.push(...called.tickets);
    turn.handover = called.handover;
    return true;
  } catch (error) {
    if (signal.aborted && (signal.reason as { name?: unknown }).name === 'TimeoutError') return false;
    throw error;
  }
}

const nothingUsed: TokenUse = { inputTokens: 0, outputTokens: 0, isEstimated: false };

/** The turn's progress so far. */
class Turn {
  readonly trail = new KeyTrail();
  readonly messages: ModelMessage[];
  readonly toolCalls: ToolCallRecord[] = [];
  readonly citations: SourceCitation[] = [];
  readonly tickets: NewTicket[] = [];
  handover: string | null = null;
  #hasAskedAgain = false;
  readonly usage: TokenUse = { ...nothingUsed };

  constructor(asked: Iterable<ModelMessage>) {
    this.messages = [...asked];
  }

  get mayCall(): boolean {
    return this.toolCalls.length < maxCalls;
  }

  get namesOfWaiting(): string[] {
    return this.tickets.map(({ toolName }) => toolName);
  }

  /** Allows one retry per turn, after an answer without readable text. */
  mayAskAgain(): boolean {
    const may = !this.#hasAskedAgain;
    this.#hasAskedAgain = true;
    return may;
  }

  mayAskAfter(failure: Cause): boolean {
    return failure === 'unusable answer' && this.mayAskAgain();
  }

  uses(usage: TokenUse = nothingUsed): void {
    this.usage.inputTokens += usage.inputTokens;
    this.usage.outputTokens += usage.outputTokens;
    this.usage.isEstimated ||= usage.isEstimated;
  }

  ended({ keyId, source }: Pick<ResolvedKey, 'keyId' | 'source'>, end: ConversedEnd): Conversed {
    const { toolCalls, citations, tickets, handover } = this;
    return {
      key: { keyId, source },
      keyAttempts: this.trail.attempts,
      toolCalls,
      citations,
      tickets,
      handover,
      usage: this.usage,
      ...end,
    };
  }
}
