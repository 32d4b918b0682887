import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import { sendOut } from '../../takeover/domain/write-message.ts';
import { type LockedChat, lockChat } from '../../takeover/store/handling.ts';
import type { Deps } from '../deps.ts';
import { type DueQuestion, getDueQuestion, insertQuestion } from '../store/questions.ts';
import {
  dropQuestion,
  markAsked,
  type RatingQuestionRow,
  ratingQuestionQueue,
} from '../store/rating-questions.ts';

type AskDeps = Pick<Deps, 'database' | 'outbox' | 'tenancy' | 'log'>;

const slots = 5;
/** A question that a platform takes later than this comes out of nowhere. */
const worthMinutes = 10;

/** Asks people if an answer helped, and forgets after a week whom it asked. */
export const createRatingQuestions = (
  deps: AskDeps & Pick<Deps, 'due' | 'instance' | 'stalls'>,
): LeasedQueue<RatingQuestionRow> =>
  new LeasedQueue(deps, {
    name: 'questions for ratings',
    table: ratingQuestionQueue,
    slots,
    share: slots / 5,
    run: async (row) => {
      // The lease ends by itself: then the row is claimed again.
      await askOrDrop(deps, row).catch((error: unknown) =>
        deps.log.warn({ err: error, replyId: row.replyId }, 'a question for a rating is put off'),
      );
    },
  });

/**
 * The question and the note that it was asked are one transaction, so it is asked once, whenever the process dies.
 * @throws HttpError 503 when the tenancy service doesn't answer.
 */
async function askOrDrop(deps: AskDeps, row: RatingQuestionRow): Promise<void> {
  const { tenantId } = row;
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(deps.database, [tenantId], work);
  if (row.askedAt !== null) return await inTenant((tx) => dropQuestion(tx, row));
  const asking = await inTenant((tx) => readAsking(tx, row));
  const isAsked =
    asking &&
    !reasonOf(asking) &&
    (await isAdmitted(deps, asking)) &&
    (await inTenant((tx) => ask(deps, tx, row)));
  if (!isAsked) await inTenant((tx) => dropQuestion(tx, row));
  else await failpoint('agents.rating-question.after-commit');
}

interface Asking {
  chat: LockedChat;
  due: DueQuestion;
}

/** Locks the chat, as a turn's end and a takeover do. */
async function readAsking(tx: TenantTx, row: RatingQuestionRow): Promise<Asking | undefined> {
  const chat = await lockChat(tx, row.tenantId, row.chatId);
  const due = chat && (await getDueQuestion(tx, row));
  return due && { chat, due };
}

const reasonOf = ({ chat, due }: Asking) => whyNotToAsk({ ...due, ...chat });

/** Whether the bot would answer the person, who may be muted since. */
async function isAdmitted({ tenancy }: AskDeps, { chat, due: { sender } }: Asking): Promise<boolean> {
  if (!sender) return false;
  const [refusal] = await tenancy.admit(chat, [sender]);
  return refusal === null;
}

/** Returns `false` if something has happened since it was decided. */
async function ask(deps: AskDeps, tx: TenantTx, row: RatingQuestionRow): Promise<boolean> {
  const asking = await readAsking(tx, row);
  if (!asking || reasonOf(asking)) return false;
  const { chat, due } = asking;
  const say = sayingTo(due, [due]);
  const text = say('rating_question');
  const choices = [say('rating_yes'), say('rating_no')];
  // A bot's own text in one language can be the default of the other choice.
  if (choices[0] === choices[1] || !(await markAsked(tx, row))) return false;
  const question = await insertQuestion(tx, chat, { text, choices, replyId: row.replyId });
  const sent = { ...question, text, choices, author: 'bot' } as const;
  await sendOut(deps, tx, { ...chat, answerWithinMinutes: worthMinutes }, sent);
  await failpoint('agents.rating-question.before-commit');
  return true;
}

type Circumstances = DueQuestion & Pick<LockedChat, 'isWithPerson' | 'state'>;

/** The first one that applies counts. */
const reasons: Readonly<Record<string, (of: Circumstances) => boolean>> = {
  'the bot does not ask, or is disabled or deleted': ({ isWanted }) => !isWanted,
  'the person was erased': ({ isErased }) => isErased,
  'it is too late': ({ isLate }) => isLate,
  'the chat is not private': ({ isPrivate }) => !isPrivate,
  'something was written since': ({ isContinued }) => isContinued,
  'a person handles the chat': ({ isWithPerson }) => isWithPerson,
  'the chat waits, is snoozed or resolved': ({ state }) => state !== 'open',
  'the chat takes no messages': ({ isBlocked }) => isBlocked,
  'a call waits for somebody': ({ hasOpenCall }) => hasOpenCall,
  'the answer has not arrived': ({ hasArrived }) => !hasArrived,
  'the answer is rated': ({ isRated }) => isRated,
};

/** Why a person is not asked if an answer helped; `undefined` if they are. */
const whyNotToAsk = (asked: Circumstances): string | undefined =>
  Object.entries(reasons).find(([, applies]) => applies(asked))?.[0];
