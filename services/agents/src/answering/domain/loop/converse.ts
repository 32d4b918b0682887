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

/** Questions to the model in one turn. In the last one it may call nothing, so that it answers. */
const maxSteps = 6;
const maxCalls = 12;

export interface Question {
  wanted: WantedKey;
  reserve: Reserve;
  /** The chat and the people for calls of external tools; `null` in a trial, which has no chat. */
  scene: Scene | null;
  /** Texts in place of the model's. */
  say: Say;
  model: string;
  settings: ModelCall['settings'];
  equipment: Equipment;
  messages: readonly ModelMessage[];
  budget: TokenBudget;
  /** Told of what happens as it happens. */
  watch?: { onText: (text: string) => void; onTool: (call: ToolCallRecord) => void };
  /** Called when there will be no outcome, with the use until then. An error that it throws replaces the original. */
  onAbandoned: (error: unknown, spent: Spent) => Promise<void>;
  signal: AbortSignal;
}

/** The use of a question without a result. */
export interface Spent {
  /** The last key that was tried, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'> | undefined;
  usage: TokenUse;
  toolCalls: readonly ToolCallRecord[];
}

/** The result of a turn's question, with all use on the way, also when it failed in the end. */
export type Conversed = {
  /** The key of the last answer, if any. */
  key: Pick<ResolvedKey, 'keyId' | 'source'>;
  keyAttempts: KeyAttempt[];
  toolCalls: ToolCallRecord[];
  citations: SourceCitation[];
  /** Calls that wait for an approval: with them the turn ends. */
  tickets: NewTicket[];
  /** Why a person is asked to take the chat over: with it the turn ends, too. */
  handover: string | null;
  usage: TokenUse;
} & ConversedEnd;

type ConversedEnd = { text: string } | { failure: Cause; freeInMs?: number | undefined };

/**
 * Asks the model, runs the tools that it calls and asks again with their results, until it answers in words. Steps
 * and calls are bounded, within the budget and the signal's deadline.
 *
 * An empty answer is asked for once more. A key that fails in a later step is replaced by the next one, and no tool
 * runs twice. If the process dies, everything is done again: built-in tools only read, or write the same once more,
 * and external tools record what they did. @throws as `askModel`.
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

/** `false` when the turn's deadline came first. */
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

  /** Once in a turn: after an answer in which there was nothing to read. */
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
