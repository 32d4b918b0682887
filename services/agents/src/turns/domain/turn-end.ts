import type { Answer } from '../../answering/domain/answer-record.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Rating } from '../../rating-questions/domain/rating-of-message.ts';
import type { BotRow } from '../../store/bots.ts';

export type TimedAnswer = Answer & { durationMs: number };

/** The messages that an end is about, in order. Those of senders who aren't admitted have a `refusal`. */
interface Ended {
  messages: readonly SaidRow[];
}

/** An answer, an apology or a command's text. If the person no longer wants it when it is written, it is silence. */
export interface Reply extends Ended {
  kind: 'reply';
  bot: Pick<BotRow, 'answerWithinMinutes' | 'asksForRating'>;
  answer: TimedAnswer;
}

/** No reply, for this reason: the messages are ignored. */
interface Silence extends Ended {
  kind: 'silence';
  reason: string;
  /** It is left to the person who handles the chat. Its messages become context later. */
  isForStaff?: boolean;
  /** An answer that isn't sent, whose use counts. */
  unsent?: TimedAnswer;
  /** The only message is this rating of an earlier answer. */
  rating?: Rating;
}

/** The messages can't be answered: they become dead letters, so that the conversation continues (REQ-CHAT-2). */
interface Dead extends Ended {
  kind: 'dead';
  reason: string;
  tries: number;
}

/** The messages wait, and the turn is tried again. */
interface Postponed {
  kind: 'postponed';
  waitMs: number;
  /** The fault of an attempt that failed; anything else doesn't count as an attempt. */
  reason?: string;
  /** The time since the first attempt of a turn that waits for a key. */
  triedMs?: number;
}

/** How a turn ends: made by `decide` or `answerTurn`, written by `endTurn`. Nothing else ends a turn. */
export type TurnEnd = Reply | Silence | Dead | Postponed;

/** The messages whose senders are admitted: the bot answers these. */
export const heardIn = (messages: readonly SaidRow[]): SaidRow[] =>
  messages.filter(({ refusal }) => refusal === null);
