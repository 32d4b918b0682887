import type { ModelRecord, SourceCitation, ToolCallRecord } from '@botyard/contracts/http/context-traces';
import type { ModelMessage } from 'ai';
import type { ResolvedKey } from '../../../clients/keys.ts';
import type { NewTicket } from '../../../external-tools/store/tickets.ts';
import { isBlank, type ModelAnswer, type TokenUse } from '../../../models/clients/wire.ts';
import { takesPictures } from '../../../models/domain/capabilities.ts';
import type { Cause } from '../../../models/domain/cause.ts';
import { KeyTrail } from '../../../models/domain/key-trail.ts';
import type { TokenBudget } from '../../../models/domain/token-budget.ts';
import type { UsedCall, UsedPassage } from '../../../recordings/domain/turn-recording.ts';
import type { EquippedTool } from '../../../tools/domain/equipment.ts';
import type { Conversed, ConversedEnd, Question } from './conversed.ts';
import { noPictures, type PictureRoom, pictureMessage, pictureRoom, roomAfter } from './result-pictures.ts';
import { shortened } from './shorten-messages.ts';

/** Calls of tools in one turn. */
export const maxCalls = 12;
/** Found tools that are offered at a time: those of two searches. */
const maxFoundTools = 20;
const nothingUsed: TokenUse = { inputTokens: 0, outputTokens: 0, isEstimated: false };
/** The assumed size of a window whose size isn't known. */
const tokensOfUnknownWindow = 4096;
/** The part of a window that each text may have. */
const partOfWindow = 0.25;

/** The progress of a turn's question so far. */
export class Turn {
  readonly trail = new KeyTrail();
  messages: ModelMessage[];
  readonly toolCalls: ToolCallRecord[] = [];
  readonly citations: SourceCitation[] = [];
  readonly tickets: NewTicket[] = [];
  readonly usedCalls: UsedCall[] = [];
  readonly usedPassages: UsedPassage[] = [];
  /** The names of tools whose calls wait for an approval. */
  readonly waiting: string[] = [];
  readonly usage: TokenUse = { ...nothingUsed };
  readonly #question: Pick<Question, 'messages' | 'alone' | 'equipment'>;
  #foundTools: readonly EquippedTool[] = [];
  readonly #leftOut = new Set<string>();
  handover: string | null = null;
  choices: readonly string[] | null = null;
  /** The text beside the last calls. */
  textOfStep = '';
  /** The texts that the provider paused after. */
  paused = '';
  #latest: ModelAnswer | undefined;
  #thoughtUnits = 0;
  #hasAskedAgain = false;
  /** The longest answer of the last request, which is doubled once. */
  #room = 0;
  #hasTwiceTheRoom = false;
  #isAlone = false;
  #isShortened = false;

  /** The number and the bytes of pictures that results may still show. */
  pictureRoom: PictureRoom;
  #pictureMessages: ModelMessage[] = [];

  constructor(question: Pick<Question, 'messages' | 'alone' | 'equipment' | 'wanted'>) {
    this.#question = question;
    this.pictureRoom = takesPictures(question.wanted) ? pictureRoom : noPictures;
    this.messages = [...question.messages];
  }

  /** The agent's tools, and those that its latest searches have found. */
  get offeredTools(): readonly EquippedTool[] {
    const { tools } = this.#question.equipment;
    return this.#foundTools.length === 0 ? tools : [...tools, ...this.#foundTools];
  }

  finds(tools: readonly EquippedTool[]): void {
    if (tools.length > 0)
      this.#foundTools = [...new Set([...tools, ...this.#foundTools])].slice(0, maxFoundTools);
  }

  /** Adds the pictures of the latest results. */
  showPictures(results: Parameters<typeof pictureMessage>[0]): void {
    if (results.length === 0) return;
    const message = pictureMessage(results);
    this.pictureRoom = roomAfter(this.pictureRoom, results);
    this.#pictureMessages.push(message);
    this.messages.push(message);
  }

  get mayCall(): boolean {
    return this.toolCalls.length < maxCalls;
  }

  lengthOf(budget: TokenBudget, isLast: boolean): { maxOutputTokens: number } {
    this.#room = this.#hasTwiceTheRoom ? this.#room : budget.maxOutputTokens(isLast);
    return { maxOutputTokens: this.#room };
  }

  hears(answer: ModelAnswer): void {
    this.#latest = answer;
    this.#thoughtUnits += answer.thoughtUnits;
    for (const name of answer.leftOut) this.#leftOut.add(name);
    this.uses(answer.usage);
    if (answer.toolCalls.length > 0 && !isBlank(answer.text)) this.textOfStep = answer.text;
  }

  /** Whether the model is asked again, because its answer can't be used as it is. */
  mayAskOnceMore({ finish, text, toolCalls, said, usage }: ModelAnswer, budget: TokenBudget): boolean {
    if (
      finish === 'paused' &&
      toolCalls.length === 0 &&
      !isBlank(text) &&
      this.paused.length < maxPausedUnits
    ) {
      this.paused += text;
      this.messages.push(...said);
      return true;
    }
    const isSilent = toolCalls.length === 0 && isBlank(text);
    if (finish === 'cut' && (isSilent || toolCalls.length > 0)) return this.#mayHaveTwiceTheRoom();
    if (!isSilent) return false;
    if (finish === 'filtered') return this.#mayAskAlone();
    return budget.hasRoomAgain(usage) && this.#mayAskAgain();
  }

  mayAskAfter(failure: Cause): boolean {
    if (failure === 'unusable answer') return this.#mayAskAgain();
    const isRefused = failure === 'content refused' || failure === 'refused';
    if (isRefused) return this.#mayLeavePicturesOut() || this.#mayAskAlone();
    return (
      failure === 'too long' && (this.#mayLeavePicturesOut() || this.#mayAskAlone() || this.#mayShorten())
    );
  }

  uses(usage: TokenUse = nothingUsed): void {
    this.usage.inputTokens += usage.inputTokens;
    this.usage.outputTokens += usage.outputTokens;
    this.usage.isEstimated ||= usage.isEstimated;
  }

  ended({ keyId, source }: Pick<ResolvedKey, 'keyId' | 'source'>, end: ConversedEnd): Conversed {
    const { toolCalls, citations, tickets, handover, usage } = this;
    const used = { calls: this.usedCalls, passages: this.usedPassages };
    return {
      key: { keyId, source },
      keyAttempts: this.trail.attempts,
      toolCalls,
      citations,
      tickets,
      handover,
      choices: this.#endsWithAnswer(end) ? this.choices : null,
      usage,
      used,
      record: this.#recordOf(end),
      leavesOut: this.#leavesOut(end),
      ...end,
    };
  }

  /** Whether the turn ends with the model's own words. */
  #endsWithAnswer(end: ConversedEnd): boolean {
    return 'text' in end && this.handover === null && this.waiting.length === 0;
  }

  /** Allows one retry per turn, after an answer without readable text. */
  #mayAskAgain(): boolean {
    const may = !this.#hasAskedAgain;
    this.#hasAskedAgain = true;
    return may;
  }

  #mayHaveTwiceTheRoom(): boolean {
    const may = !this.#hasTwiceTheRoom;
    this.#hasTwiceTheRoom = true;
    if (may) this.#room *= 2;
    return may;
  }

  /** Leaves the pictures of results out: a provider may refuse one that can't be decoded. The words about it stay. */
  #mayLeavePicturesOut(): boolean {
    const pictureMessages = this.#pictureMessages;
    this.#pictureMessages = [];
    this.pictureRoom = pictureMessages.length > 0 ? noPictures : this.pictureRoom;
    this.messages = this.messages.filter((message) => !pictureMessages.includes(message));
    return pictureMessages.length > 0;
  }

  /** Leaves the earlier messages out, once: they may be what the provider refuses. */
  #mayAskAlone(): boolean {
    const { messages, alone } = this.#question;
    if (this.#isAlone || !alone) return false;
    this.#isAlone = true;
    this.messages = [...alone, ...this.messages.slice(messages.length)];
    return true;
  }

  /** Shortens each text, once, for a window that is smaller than ours. */
  #mayShorten(): boolean {
    if (this.#isShortened) return false;
    this.#isShortened = true;
    const window = this.trail.contextTokens ?? tokensOfUnknownWindow;
    this.messages = shortened(this.messages, Math.floor(window * partOfWindow));
    return true;
  }

  #leavesOut(end: ConversedEnd): Conversed['leavesOut'] {
    if ('text' in end) return this.#isAlone ? 'context' : 'nothing';
    return refusesQuestion.has(end.failure) ? 'question' : 'nothing';
  }

  #recordOf(end: ConversedEnd): ModelRecord {
    const { finish, finishReason = null } = this.#latest ?? {};
    const isShown = finish === 'cut' || finish === 'filtered';
    const refusal = 'failure' in end || this.#isAlone ? this.trail.refusal : undefined;
    return {
      ending: isShown ? finish : 'complete',
      finishReason,
      thoughtUnits: this.#thoughtUnits,
      leftOut: [...this.#leftOut],
      leavesOut: this.#leavesOut(end),
      ...(refusal === undefined ? {} : { refusal }),
    };
  }
}

const maxPausedUnits = 50_000;
const refusesQuestion: ReadonlySet<Cause> = new Set<Cause>(['content refused', 'too long', 'filtered']);
