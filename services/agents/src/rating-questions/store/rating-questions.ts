import { alias } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { ratingQuestions } from '../../store/outcomes-schema.ts';
import { conversations } from '../../store/schema.ts';

const askAfterMinutes = 10;
const daysBetweenQuestions = 7;

export type RatingQuestionRow = Pick<
  typeof ratingQuestions.$inferSelect,
  'tenantId' | 'personId' | 'chatId' | 'replyId' | 'askedAt'
>;

/** A lease is not renewed: asking takes less than a second, and the row itself is changed once. */
export const ratingQuestionQueue: QueueTable<RatingQuestionRow> = {
  table: 'agents.rating_questions',
  key: ['tenantId', 'personId'],
  columns: columns(pick(alias(ratingQuestions, 'q'), 'tenantId', 'personId', 'chatId', 'replyId', 'askedAt')),
  leaseSeconds: 30,
};

const { tenantId, personId, replyId } = ratingQuestions;
const wanted = unnest('wanted', {
  tenantId,
  personId,
  replyId,
  conversationId: conversations.conversationId,
});

/** An answer that its person is asked about. */
export interface AnswerToRate {
  tenantId: string;
  personId: string;
  replyId: string;
  conversationId: string;
}

/** Sets people to be asked about these answers, in place of earlier ones. Those who were asked lately are left out. */
export const scheduleQuestions = preparedStatement({
  name: 'agents.rating_questions.schedule',
  text: `insert into agents.rating_questions as q (tenant_id, person_id, bot_id, chat_id, reply_id, ready_at)
         select distinct on (c.tenant_id, wanted.person_id)
           c.tenant_id, wanted.person_id, c.bot_id, c.chat_id, wanted.reply_id,
           now() + make_interval(mins => ${askAfterMinutes})
         from ${wanted}
         join agents.conversations c
           on c.tenant_id = wanted.tenant_id and c.conversation_id = wanted.conversation_id
         order by c.tenant_id, wanted.person_id, wanted.reply_id desc
         on conflict (tenant_id, person_id) do update
         set bot_id = excluded.bot_id,
           chat_id = excluded.chat_id,
           reply_id = excluded.reply_id,
           ready_at = excluded.ready_at,
           lease_until = null
         where q.asked_at is null`,
  values: (answers: readonly AnswerToRate[]) => wanted.values(answers),
});

type Asked = Pick<RatingQuestionRow, 'tenantId' | 'personId' | 'replyId'>;

/** Returns `false` if the person is to be asked about another answer, or was asked meanwhile. */
export const markAsked = preparedStatement({
  name: 'agents.rating_questions.asked',
  text: `update agents.rating_questions
         set asked_at = now(),
           ready_at = now() + make_interval(days => ${daysBetweenQuestions}),
           lease_until = null
         where tenant_id = $tenantId and person_id = $personId and reply_id = $replyId and asked_at is null
         returning 1`,
  values: ({ tenantId, personId, replyId }: Asked) => ({ tenantId, personId, replyId }),
  result: (rows) => rows.length > 0,
});

/** Removes a due row, unless it has changed since it was claimed. */
export const dropQuestion = preparedStatement({
  name: 'agents.rating_questions.drop',
  text: `delete from agents.rating_questions
         where tenant_id = $tenantId
           and person_id = $personId
           and reply_id = $replyId
           and (asked_at is null) = $isUnasked
           and ready_at <= now()`,
  values: ({ tenantId, personId, replyId, askedAt }: RatingQuestionRow) => ({
    tenantId,
    personId,
    replyId,
    isUnasked: askedAt === null,
  }),
});

/** A deleted bot asks nobody any more. The people that it asked this week are still known. */
export const deleteQuestionsOfBot = preparedStatement({
  name: 'agents.rating_questions.of_bot',
  text: `delete from agents.rating_questions
         where tenant_id = $tenantId and bot_id = $botId and asked_at is null`,
  values: ({ tenantId, botId }: { tenantId: string; botId: string }) => ({ tenantId, botId }),
});
