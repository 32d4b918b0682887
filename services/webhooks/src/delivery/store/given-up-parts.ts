import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { replies } from '../../store/schema.ts';
import type { ClaimedChat } from './chats.ts';
import type { Conversation, ReplyKey } from './replies.ts';

const r = alias(replies, 'r');
const stopText = typedSql`
  update webhooks.parts p
  set state = 'failed', last_error = $3
  from webhooks.replies r
  where r.tenant_id = any ($1::uuid[])
    and r.conversation_id = any ($2::uuid[])
    and r.state = 'queued'
    and p.tenant_id = r.tenant_id
    and p.reply_id = r.reply_id
    and p.state = 'queued'
  returning ${columns({ tenantId: r.tenantId, replyId: r.replyId })}`;

/** Gives up the queued parts of these conversations. Sends in progress are not recalled. Returns their replies. */
export const giveUpPartsOf = preparedStatement({
  name: 'webhooks.parts.stop',
  text: stopText,
  values: (of: readonly Conversation[], reason: string) => [
    of.map(({ tenantId }) => tenantId),
    of.map(({ conversationId }) => conversationId),
    reason,
  ],
});

/** Gives up the queued parts of a reply. */
export const giveUpRestOf = preparedStatement({
  name: 'webhooks.parts.end_reply',
  text: `update webhooks.parts set state = 'failed', last_error = $3
         where tenant_id = $1 and reply_id = $2 and state = 'queued'`,
  values: ({ tenantId, replyId, reason }: ReplyKey & { reason: string }) => [tenantId, replyId, reason],
});

/** Notes a wait that the platform asked for, for all parts that wait in its chat. */
export const noteWait = preparedStatement({
  name: 'webhooks.parts.wait',
  text: `update webhooks.parts set waited_ms = waited_ms + $4
         where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and state in ('queued', 'sending')`,
  values: ({ tenantId, botId, chatKey }: ClaimedChat, waitMs: number) => [
    tenantId,
    botId,
    chatKey,
    Math.round(waitMs),
  ],
});
