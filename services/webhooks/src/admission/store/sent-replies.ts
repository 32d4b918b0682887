import { boolean, like, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { replies } from '../../store/schema.ts';

const sentReply = columns({
  /** `null` for a message that isn't of a reply, or that is unknown. */
  replyId: orNull(
    like(replies.replyId, '(array_agg(p.reply_id) filter (where p.platform_message_id = $3))[1]'),
  ),
  isSending: boolean("coalesce(bool_or(p.state = 'sending'), false)"),
});

/**
 * The reply of a message that the platform names, in this conversation, and whether a message is being sent there whose
 * name isn't known yet.
 */
export const findSentReply = preparedStatement({
  name: 'webhooks.replies.of_message',
  text: typedSql`select ${sentReply}
    from webhooks.replies r
    join webhooks.parts p on p.reply_id = r.reply_id and p.tenant_id = r.tenant_id
    where r.tenant_id = $1 and r.conversation_id = $2`,
  values: (place: { tenantId: string; conversationId: string; platformMessageId: string }) => [
    place.tenantId,
    place.conversationId,
    place.platformMessageId,
  ],
  result: ([row]) => row!,
});

const replyInThread = columns(pick(replies, 'replyId', 'conversationId'));
const inThreadText = typedSql`
  select ${replyInThread}
  from webhooks.replies
  where tenant_id = $1 and reply_id = (
    select p.reply_id
    from webhooks.parts p
    where p.tenant_id = $1
      and p.bot_id = $2
      and p.platform_chat_id = any ($3::text[])
      and p.platform_message_id = $4
      and p.thread_id is not null
    limit 1
  )`;

/** The reply of a message in any thread of a chat, which may have had another key. */
export const findReplyInThreads = preparedStatement({
  name: 'webhooks.replies.in_threads',
  text: inThreadText,
  values: (place: {
    tenantId: string;
    botId: string;
    chatKeys: readonly string[];
    platformMessageId: string;
  }) => {
    const { tenantId, botId, chatKeys, platformMessageId } = place;
    return [tenantId, botId, chatKeys, platformMessageId];
  },
  result: ([row]) => row,
});

/** Whether a message is being sent to a chat or its threads, whose name isn't known yet. */
export const isSendingTo = preparedStatement({
  name: 'webhooks.replies.is_sending_to',
  text: `select from webhooks.parts p
         where p.tenant_id = $1 and p.bot_id = $2 and p.platform_chat_id = any ($3::text[]) and p.state = 'sending'`,
  values: (place: { tenantId: string; botId: string; chatKeys: readonly string[] }) => {
    const { tenantId, botId, chatKeys } = place;
    return [tenantId, botId, chatKeys];
  },
  result: (rows) => rows.length > 0,
});
