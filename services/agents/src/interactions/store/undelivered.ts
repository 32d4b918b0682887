import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, isNull, lt, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { inChats, type MessageInChat } from '../../conversations/store/interactions.ts';
import { conversations, messages } from '../../store/schema.ts';

/** Replies that were given up and not dismissed since, latest first, one more than the page's limit. */
export async function listUndelivered(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & {
    botId?: string | undefined;
    chatId?: string | undefined;
    status?: 'failed' | 'uncertain' | undefined;
  },
): Promise<MessageInChat[]> {
  return await inChats(tx)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        // Written as in the index, so that it is used.
        sql`${messages.status} in ('failed', 'uncertain')`,
        isNull(messages.dismissedAt),
        page.status ? eq(messages.status, page.status) : undefined,
        page.botId ? eq(conversations.botId, page.botId) : undefined,
        page.chatId ? eq(conversations.chatId, page.chatId) : undefined,
        page.before ? lt(messages.messageId, page.before) : undefined,
      ),
    )
    .orderBy(desc(messages.messageId))
    .limit(page.limit + 1);
}

/** The chat of a reply, in any state. */
export async function getChatOfReply(
  tx: TenantTx,
  tenantId: string,
  messageId: string,
): Promise<string | undefined> {
  const [row] = await inChats(tx).where(
    and(eq(messages.tenantId, tenantId), eq(messages.messageId, messageId), eq(messages.direction, 'out')),
  );
  return row?.conversation.chatId;
}

const isUndelivered = "status in ('failed', 'uncertain') and dismissed_at is null";

/** Removes a reply from the list. Returns `false` when it isn't in the list. */
export const dismissReply = preparedStatement({
  name: 'agents.undelivered.dismiss',
  text: `update agents.messages set dismissed_at = now()
         where tenant_id = $1 and message_id = $2 and direction = 'out' and ${isUndelivered} returning 1`,
  values: (tenantId: string, messageId: string) => [tenantId, messageId],
  result: (rows) => rows.length > 0,
});

const again = columns(pick(messages, 'messageId', 'seq', 'text', 'template', 'choices', 'staffId'));
const againText = typedSql`with place as (
    update agents.conversations set next_reply_seq = next_reply_seq + 1
    where tenant_id = $tenantId and conversation_id = $conversationId returning next_reply_seq - 1 as seq, last_seq)
  insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id,
    agent_version, staff_id, status, received_at, after_seq, attachment, template, choices, rated_reply_id)
  select m.tenant_id, agents.new_id(), m.conversation_id, 'out', place.seq, m.text, m.content, m.agent_id,
    m.agent_version, m.staff_id, 'sending', now(), place.last_seq, m.attachment, m.template, m.choices, m.rated_reply_id
  from agents.messages m cross join place
  where m.tenant_id = $tenantId and m.message_id = $messageId and m.conversation_id = $conversationId
  returning ${again}`;

/** Appends a copy of a reply to its locked conversation. */
export const insertAgain = preparedStatement({
  name: 'agents.undelivered.send_again',
  text: againText,
  values: (
    { tenantId, conversationId }: Pick<typeof conversations.$inferSelect, 'tenantId' | 'conversationId'>,
    messageId: string,
  ) => ({ tenantId, conversationId, messageId }),
  result: ([row]) => row!,
});
