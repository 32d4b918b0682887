import { type ListChatsQuery, searchedMessages } from '@botyard/contracts/http/interactions';
import { lastMessageCharacters } from '@botyard/contracts/http/interactions-shapes';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, ilike, inArray, or, type SQL, sql } from '@botyard/shared/db/drizzle';
import { byMoment, containing, isListed, sorted } from '@botyard/shared/db/sorting';
import { chatKey } from '../../store/chat-key.ts';
import { chatStates, staff } from '../../store/chat-schema.ts';
import { bots, conversations } from '../../store/schema.ts';
import type { ConversationRow } from './messages.ts';

/** A chat's newest message, as shown in lists of chats. */
export interface LastMessage {
  messageId: string;
  direction: 'in' | 'out';
  seq: number;
  text: string;
  senderName: string | null;
  /** Written by a user of the tenant, whom `staffUserId` names unless they were erased. */
  isOfStaff: boolean;
  staffUserId: string | null;
  /** In the format that Postgres writes in JSON. */
  createdAt: string;
}

/** A conversation with its bot, people, last message and handling, and the reason if its chat accepts no messages. */
export type ChatRow = ConversationRow & {
  botName: string | null;
  state: 'active' | 'blocked' | null;
  blockedReason: string | null;
  isWithPerson: boolean;
  assigneeUserId: string | null;
  people: { personId: string; name: string }[];
  lastMessage: LastMessage | null;
};

/** A chat whose handling has expired is back with its bot, even before that is announced. */
const isWithPerson = sql<boolean>`(${conversations.handling} = 'person' and ${conversations.handbackAt} > now())`;

const maxPeople = 3;

const { tenantId, conversationId, chatId, place } = conversations;

const people = sql<ChatRow['people']>`(
  select coalesce(json_agg(json_build_object('personId', p.person_id, 'name', p.name)), '[]')
  from (select person_id, name from agents.people
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
    order by last_seen_at desc, person_id limit ${maxPeople}) p)`;

const lastMessage = sql<LastMessage | null>`(
  select json_build_object('messageId', m.message_id, 'direction', m.direction, 'seq', m.seq,
    'text', left(m.text, ${lastMessageCharacters}), 'senderName', m.sender ->> 'name', 'isOfStaff', m.staff_id is not null,
    'staffUserId', (select s.user_id from agents.staff s where s.tenant_id = m.tenant_id and s.staff_id = m.staff_id),
    'createdAt', m.created_at)
  from agents.messages m where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId}
  order by m.message_id desc limit 1)`;

const handledBy = and(
  eq(staff.tenantId, conversations.tenantId),
  eq(staff.staffId, conversations.assigneeStaffId),
);

/** Chats with their details; callers narrow the query. */
const chatsOf = (tx: TenantTx) =>
  tx.db
    .select({
      row: conversations,
      botName: bots.name,
      state: chatStates.state,
      blockedReason: chatStates.reason,
      isWithPerson,
      assigneeUserId: staff.userId,
      people,
      lastMessage,
    })
    .from(conversations)
    .leftJoin(staff, handledBy)
    .leftJoin(bots, and(eq(bots.tenantId, conversations.tenantId), eq(bots.botId, conversations.botId)))
    .leftJoin(
      chatStates,
      and(
        eq(chatStates.tenantId, conversations.tenantId),
        eq(chatStates.botId, conversations.botId),
        eq(chatStates.chatKey, chatKey),
      ),
    )
    .$dynamic();

type Found = Awaited<ReturnType<typeof chatsOf>>[number];
const toRow = ({ row, ...known }: Found): ChatRow => ({ ...row, ...known });

const sortColumns = {
  createdAt: byMoment(conversations.createdAt),
  lastMessageAt: byMoment(conversations.lastMessageAt),
};

/** A chat's cursor in a list that is sorted by the field. */
export const placeOfChat = ({ chatId, createdAt, lastMessageAt }: ConversationRow, field: string) => ({
  id: chatId,
  value: field === 'lastMessageAt' ? lastMessageAt : createdAt,
});

/** Lists chats, one more than the page's limit. Details are read only for the chats of the page. */
export async function listChats(tx: TenantTx, ofTenant: string, query: ListChatsQuery): Promise<ChatRow[]> {
  const { after, order } = sorted(query, sortColumns, chatId);
  const byLastMessage = query.sort.endsWith('lastMessageAt');
  const page = tx.db
    .select({ chatId })
    .from(conversations)
    .leftJoin(staff, handledBy)
    .where(
      and(
        eq(tenantId, ofTenant),
        isListed(byLastMessage ? conversations.lastMessageAt : conversations.createdAt),
        ...narrowed(ofTenant, query),
        after,
      ),
    )
    .orderBy(...order)
    .limit(query.limit + 1);
  const rows = await chatsOf(tx)
    .where(and(eq(tenantId, ofTenant), sql`${chatId} = any (array(${page}))`))
    .orderBy(...order);
  return rows.map(toRow);
}

function narrowed(ofTenant: string, query: ListChatsQuery): (SQL | undefined)[] {
  const { q, text, personId, botId, platform, kind, handling, assigneeUserId } = query;
  const title = sql`${place} ->> 'title'`;
  return [
    botId ? eq(conversations.botId, botId) : undefined,
    platform ? eq(conversations.platform, platform) : undefined,
    kind ? sql`${place} ->> 'kind' = ${kind}` : undefined,
    text ? ilike(title, containing(text)) : undefined,
    handling ? eq(isWithPerson, handling === 'person') : undefined,
    assigneeUserId ? and(isWithPerson, eq(staff.userId, assigneeUserId)) : undefined,
    personId ? inArray(conversationId, chatsOfPerson(ofTenant, personId)) : undefined,
    q ? or(ilike(title, containing(q)), inArray(conversationId, chatsWith(ofTenant, q))) : undefined,
  ];
}

const chatsOfPerson = (ofTenant: string, personId: string) =>
  sql`(select conversation_id from agents.people where tenant_id = ${ofTenant} and person_id = ${personId})`;

/**
 * Chats with a person of this name, or with this text in one of the tenant's newest messages. Postgres wouldn't use a
 * word or trigram index: row-level security is evaluated before operators that aren't leakproof.
 */
const chatsWith = (ofTenant: string, q: string) => sql`(
  select conversation_id from agents.people
  where tenant_id = ${ofTenant} and (name ilike ${containing(q)} or username ilike ${containing(q)})
  union
  select newest.conversation_id from (
    select m.conversation_id, m.text from agents.messages m
    where m.tenant_id = ${ofTenant} order by m.message_id desc limit ${searchedMessages}) newest
  where newest.text ilike ${containing(q)})`;

export const getConversationByChat = (tx: TenantTx, ofTenant: string, id: string) =>
  getChat(tx, ofTenant, eq(chatId, id));

export const getChatOfConversation = (tx: TenantTx, ofTenant: string, id: string) =>
  getChat(tx, ofTenant, eq(conversationId, id));

async function getChat(tx: TenantTx, ofTenant: string, isWanted: SQL): Promise<ChatRow | undefined> {
  const [found] = await chatsOf(tx).where(and(eq(tenantId, ofTenant), isWanted));
  return found && toRow(found);
}
