import { choiceLimits } from '@botyard/contracts/choices';
import { isTextOf } from '@botyard/words/words';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { BotRow } from '../../store/bots.ts';
import type { AskedQuestion } from '../store/questions.ts';

/** How a message of a person rates a reply. `null` as reply: its question is no longer stored, nor is the rating. */
export interface Rating {
  replyId: string | null;
  rating: 'up' | 'down';
}

const ratings = ['up', 'down'] as const;
/** A typed answer is at most as long as a choice, and a full stop or two. */
const maxUnits = choiceLimits.textUnits + 5;

/** Whether a message could be a choice, or its words. */
export const mayRate = ({
  text,
  command,
  attachment,
}: Pick<SaidRow, 'text' | 'command' | 'attachment'>): boolean =>
  text !== '' && text.length <= maxUnits && command === null && attachment === null;

interface Asked {
  question: AskedQuestion | undefined;
  /** Nothing was sent to the chat after the question. */
  isLast: boolean;
  bot: Pick<BotRow, 'words'> | undefined;
}

/**
 * The rating that a message stands for; `null` if it is a message to the agent. The text of a button is a rating at any
 * time. Its words alone, or its sign, are one until the bot has said something else, because "no" answers much.
 */
export function ratingOf(text: string, { question, isLast, bot }: Asked): Rating | null {
  const said = text.trim();
  const replyId = question?.ratedReplyId ?? null;
  const choices = question?.choices ?? [];
  const pressed = choices.indexOf(said);
  if (pressed !== -1) return { replyId, rating: ratings[pressed]! };
  if (!question) {
    const spoken = (['rating_yes', 'rating_no'] as const).findIndex((key) => isTextOf(key, said, bot ?? {}));
    return spoken === -1 ? null : { replyId, rating: ratings[spoken]! };
  }
  const typed = isLast ? choices.findIndex((choice) => isTypedFor(said, choice)) : -1;
  return typed === -1 ? null : { replyId, rating: ratings[typed]! };
}

function isTypedFor(text: string, choice: string): boolean {
  const [words, sign] = [wordsOf(text), signOf(text)];
  if (words + sign === '') return false;
  return (words === '' || words === wordsOf(choice)) && (sign === '' || sign === signOf(choice));
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Without words, punctuation, tones of skin, and selectors of how a character is drawn. */
const signOf = (text: string): string => text.replace(/[\p{L}\p{M}\p{N}\p{P}\p{Z}\p{Emoji_Modifier}]/gu, '');
