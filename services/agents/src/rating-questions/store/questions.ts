import { alias } from '@botyard/shared/db/drizzle';
import { boolean, like, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chatKeyText } from '../../store/chat-key.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { bots, messages } from '../../store/schema.ts';
import type { RatingQuestionRow } from './rating-questions.ts';

/** An answer that came later than this is no longer asked about, for example after an outage. */
const worthMinutes = 60;

const b = alias(bots, 'b');
const due = columns({
  ...pick(b, 'name', 'defaultLanguage', 'words'),
  isWanted: boolean('b.asks_for_rating and b.is_enabled and b.deleted_at is null'),
  isLate: boolean(`q.ready_at < now() - make_interval(mins => ${worthMinutes})`),
  isPrivate: boolean("c.place ->> 'kind' = 'private' and c.place ->> 'platformChatId' <> ''"),
  isBlocked: boolean(`exists (
    select from agents.chat_states s
    where s.tenant_id = c.tenant_id and s.bot_id = c.bot_id and s.platform_chat_id = ${chatKeyText} and s.state = 'blocked'
  )`),
  hasOpenCall: boolean(`exists (
    select from agents.tool_tickets t
    where t.tenant_id = c.tenant_id and t.conversation_id = c.conversation_id
      and t.status in ('pending', 'approved', 'executing')
  )`),
  /** Something was written after the answer, by anybody, or is being answered. */
  isContinued:
    boolean(`reply.seq <> c.next_reply_seq - 1 or coalesce(reply.after_seq, 0) < c.last_seq or exists (
    select from agents.messages m
    where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
      and m.direction = 'in' and m.status = 'queued'
  )`),
  hasArrived: boolean("reply.status = 'sent' and coalesce(reply.receipt ->> 'state', '') <> 'failed'"),
  isRated: boolean('reply.rated_at is not null'),
  isErased: boolean(`exists (
    select from agents.erased_people e
    where e.tenant_id = q.tenant_id and e.person_id = q.person_id and reply.created_at <= e.erased_before
  )`),
  /** The person, as in their last message. */
  sender: orNull(
    like(
      messages.sender,
      `(select m.sender from agents.messages m
        where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id and m.direction = 'in'
          and m.sender is not null
        order by m.seq desc limit 1)`,
    ),
  ),
});
export type DueQuestion = RowOf<typeof due>;

/** `undefined` if the person is no longer to be asked about this answer, or the answer is gone. */
export const getDueQuestion = preparedStatement({
  name: 'agents.rating_questions.due',
  text: typedSql`select ${due}
    from agents.rating_questions q
    join agents.conversations c on c.tenant_id = q.tenant_id and c.chat_id = q.chat_id
    join agents.bots b on b.tenant_id = c.tenant_id and b.bot_id = c.bot_id
    join agents.messages reply on reply.tenant_id = q.tenant_id and reply.message_id = q.reply_id
    where q.tenant_id = $tenantId
      and q.person_id = $personId
      and q.reply_id = $replyId
      and q.asked_at is null
      and q.ready_at <= now()`,
  values: ({ tenantId, personId, replyId }: RatingQuestionRow) => ({ tenantId, personId, replyId }),
  result: ([row]) => row,
});

/** Writes a question into a locked conversation, after everything else. */
export const insertQuestion = preparedStatement({
  name: 'agents.rating_questions.insert',
  text: typedSql`with place as (
      update agents.conversations c
      set next_reply_seq = c.next_reply_seq + 1,
        rating_question_id = question.id
      from (select agents.new_id() as id) question
      where c.tenant_id = $tenantId and c.conversation_id = $conversationId
      returning question.id, c.next_reply_seq - 1 as seq, c.last_seq
    )
    insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, after_seq, text, choices,
      rated_reply_id, content, status, received_at)
    select $tenantId, id, $conversationId, 'out', seq, last_seq, $text, $choices::jsonb, $replyId, 'text', 'sending', now()
    from place
    returning ${columns(pick(messages, 'messageId', 'seq'))}`,
  values: (
    { tenantId, conversationId }: ConversationKey,
    { text, choices, replyId }: { text: string; choices: readonly string[]; replyId: string },
  ) => ({ tenantId, conversationId, text, choices: JSON.stringify(choices), replyId }),
  result: ([row]) => row!,
});

const question = columns(pick(messages, 'seq', 'choices', 'ratedReplyId'));
export type AskedQuestion = RowOf<typeof question>;

export const getQuestion = preparedStatement({
  name: 'agents.rating_questions.asked_question',
  text: typedSql`select ${question} from agents.messages where tenant_id = $1 and message_id = $2`,
  values: (tenantId: string, messageId: string) => [tenantId, messageId],
  result: ([row]) => row,
});

/** Marks a person's message as a rating of this reply. */
export const markRating = preparedStatement({
  name: 'agents.rating_questions.mark_rating',
  text: `update agents.messages set rated_reply_id = $replyId where tenant_id = $tenantId and message_id = $messageId`,
  values: ({ tenantId, messageId, replyId }: { tenantId: string; messageId: string; replyId: string }) => ({
    tenantId,
    messageId,
    replyId,
  }),
});
