import type { Refusal } from '@botyard/contracts/events/tenancy';
import type { Answer } from '../../answering/domain/answer-record.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { BotRow } from '../../store/bots.ts';

/** A turn's messages, split by whether their senders are admitted; both in order. */
export interface AdmittedTurn {
  heard: readonly SaidRow[];
  refused: readonly { message: SaidRow; refusal: Refusal }[];
}

export type TimedAnswer = Answer & { durationMs: number };

/** An answer, an apology or a command's text. If the person no longer wants it when it is written, it is silence. */
export interface Reply {
  kind: 'reply';
  turn: AdmittedTurn;
  bot: Pick<BotRow, 'answerWithinMinutes' | 'asksForRating'>;
  answer: TimedAnswer;
}

/** No reply, for this reason: the messages are ignored. */
interface Silence {
  kind: 'silence';
  turn: AdmittedTurn;
  reason: string;
  /** It is left to the person who handles the chat. Its messages become context later. */
  isForStaff?: boolean;
  /** An answer that isn't sent, whose use counts. */
  unsent?: TimedAnswer;
}

/** The messages can't be answered: they become dead letters, so that the conversation continues (REQ-CHAT-2). */
interface Dead {
  kind: 'dead';
  turn: AdmittedTurn;
  reason: string;
  tries: number;
}

/** The messages wait, and the turn is tried again. */
interface Postponed {
  kind: 'postponed';
  waitMs: number;
  /** The fault of an attempt that failed; anything else doesn't count as an attempt. */
  fault?: string;
  /** The time since the first attempt of a turn that waits for a key. */
  triedMs?: number;
}

/** How a turn ends: made by `decide` or `answerTurn`, written by `endTurn`. Nothing else ends a turn. */
export type TurnEnd = Reply | Silence | Dead | Postponed;

/** The senders of these messages haven't been checked yet. */
export const unchecked = (messages: readonly SaidRow[]): AdmittedTurn => ({ heard: messages, refused: [] });

/** Nothing waits: the conversation rests until a message arrives. */
export const nothingWaits: TurnEnd = { kind: 'silence', turn: unchecked([]), reason: 'nothing waits' };

export const messagesOf = ({ heard, refused }: AdmittedTurn): SaidRow[] => [
  ...heard,
  ...refused.map(({ message }) => message),
];
