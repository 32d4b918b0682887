import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { staff } from '../../store/chat-schema.ts';
import { conversationOf } from '../../store/conversation-of.ts';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { conversations, messages } from '../../store/schema.ts';
import { idSpan } from './id-span.ts';
import type { ConversationRow, MessageRow } from './messages.ts';

/** A message with its author: the tenant's user (unless erased since), or the name of the tenant's agent. */
export type WrittenRow = MessageRow & { staffUserId: string | null; agentName: string | null };

const answeredIt = and(
  eq(agentDefinitions.tenantId, messages.tenantId),
  eq(agentDefinitions.id, messages.agentId),
);
const wroteIt = and(eq(staff.tenantId, messages.tenantId), eq(staff.staffId, messages.staffId));

const maxTopics = 200;

/** The chats of a bot in the same group or channel, this one included: one per topic, most recently used first. */
export async function listTopics(
  tx: TenantTx,
  { tenantId, botId, platform, place }: ConversationRow,
): Promise<Pick<ConversationRow, 'conversationId' | 'chatId'>[]> {
  const { conversationId, chatId } = conversations;
  return await tx.db
    .select({ conversationId, chatId })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.botId, botId),
        eq(conversations.platform, platform),
        sql`${conversations.place}->>'platformChatId' = ${place.platformChatId}`,
      ),
    )
    .orderBy(desc(conversations.lastMessageAt))
    .limit(maxTopics);
}

interface MessageFilter extends PageRequest {
  direction?: string | undefined;
  status?: string | undefined;
  /** A part of the message text. */
  text?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The most messages that are searched for a text. */
const maxSearched = 10_000;
const smallestId = '00000000-0000-0000-0000-000000000000';
const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Messages of these conversations, newest first, one more than the page's limit. */
export async function listMessages(
  tx: TenantTx,
  key: { tenantId: string; conversationIds: readonly string[] },
  filter: MessageFilter,
): Promise<WrittenRow[]> {
  const { direction, status, text, from, to, before, limit } = filter;
  const { first, last } = idSpan({ from, to });
  const most = text ? Math.max(limit + 1, Math.floor(maxSearched / key.conversationIds.length)) : limit + 1;
  // Reads each conversation along its index, so that a group with many topics costs no more than one chat per topic.
  const newest = sql`(select found.message_id from unnest(${sql.param(key.conversationIds)}::uuid[]) as wanted (id)
    cross join lateral (select m.message_id, m.text from agents.messages m
      where m.tenant_id = ${key.tenantId} and m.conversation_id = wanted.id
        and m.message_id < least(${before ?? null}::uuid, ${last}::uuid, ${greatestId}::uuid)
        and m.message_id >= coalesce(${first}::uuid, ${smallestId}::uuid)
        and m.direction = coalesce(${direction ?? null}, m.direction) and m.status = coalesce(${status ?? null}, m.status)
        and m.created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
        and m.created_at < coalesce(${to ?? null}::timestamptz, 'infinity')
      order by m.message_id desc limit ${most}) found
    where position(lower(${text ?? ''}) in lower(found.text)) > 0
    order by found.message_id desc limit ${limit + 1})`;
  const rows = await tx.db
    .select({ message: messages, staffUserId: staff.userId, agentName: agentDefinitions.name })
    .from(messages)
    .leftJoin(staff, wroteIt)
    .leftJoin(agentDefinitions, answeredIt)
    .where(and(eq(messages.tenantId, key.tenantId), inArray(messages.messageId, newest)))
    .orderBy(desc(messages.messageId));
  return rows.map(({ message, ...written }) => ({ ...message, ...written }));
}

/** A message with the name of its chat. */
export async function getMessage(
  tx: TenantTx,
  tenantId: string,
  messageId: string,
): Promise<(WrittenRow & { chatId: string }) | undefined> {
  const [row] = await tx.db
    .select({
      message: messages,
      chatId: conversations.chatId,
      staffUserId: staff.userId,
      agentName: agentDefinitions.name,
    })
    .from(messages)
    .leftJoin(staff, wroteIt)
    .leftJoin(agentDefinitions, answeredIt)
    .innerJoin(conversations, conversationOf(messages))
    .where(and(eq(messages.tenantId, tenantId), eq(messages.messageId, messageId)));
  if (!row) return undefined;
  const { message, ...known } = row;
  return { ...message, ...known };
}

/** A message with its chat. */
export interface MessageInChat {
  message: MessageRow;
  conversation: ConversationRow;
}

/** A person's message, in any status. */
export async function getMessageInChat(
  tx: TenantTx,
  tenantId: string,
  messageId: string,
): Promise<MessageInChat | undefined> {
  const [row] = await inChats(tx).where(
    and(eq(messages.tenantId, tenantId), eq(messages.messageId, messageId), eq(messages.direction, 'in')),
  );
  return row;
}

export const inChats = (tx: AnyTx) =>
  tx.db
    .select({ message: messages, conversation: conversations })
    .from(messages)
    .innerJoin(conversations, conversationOf(messages));
