import { type ListChatsQuery, searchedMessages } from '@botyard/contracts/http/interactions-chats';
import { type ChatQueue, maxCountedChats } from '@botyard/contracts/http/interactions-inbox';
import { lastMessageCharacters } from '@botyard/contracts/http/interactions-shapes';
import type { SessionOutcome } from '@botyard/contracts/http/session-outcomes';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, gte, ilike, inArray, lt, or, type SQL, sql } from '@botyard/shared/db/drizzle';
import { byMoment, containing, isListed, sorted } from '@botyard/shared/db/sorting';
import { chatKey } from '../../store/chat-key.ts';
import { chatStates, staff } from '../../store/chat-schema.ts';
import { bots, conversations } from '../../store/schema.ts';
import type { ConversationRow } from './messages.ts';
import { isOtherChatOfPeople } from './other-chats.ts';

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
  /** Names of its labels, in alphabetical order. */
  labels: string[];
  /** `null` if it isn't known who asks. */
  isUnread: boolean | null;
  isBlocked: boolean;
  blockedReason: string | null;
  isWithPerson: boolean;
  assigneeUserId: string | null;
  people: { personId: string; name: string }[];
  lastMessage: LastMessage | null;
  outcomes: SessionOutcome[] | null;
};

/** A chat whose handling has expired is back with its bot, even before that is announced. */
const isWithPerson = sql<boolean>`(${conversations.handling} = 'person' and ${conversations.handbackAt} > now())`;

/** A snoozed chat whose time has come is open, even before that is announced. */
const state = sql<ConversationRow['state']>`(case
  when ${conversations.state} = 'snoozed' and ${conversations.snoozedUntil} <= now() then 'open'
  else ${conversations.state} end)`;

const maxPeople = 3;

const { tenantId, conversationId, chatId, place } = conversations;

const people = sql<ChatRow['people']>`(
  select coalesce(json_agg(json_build_object('personId', p.person_id, 'name', p.name)), '[]')
  from (select person_id, name from agents.people
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
    order by last_seen_at desc, person_id limit ${maxPeople}) p)`;

const labelNames = sql<string[]>`(
  select coalesce(json_agg(l.name order by lower(l.name)), '[]') from agents.labels l
  where l.tenant_id = ${tenantId} and l.label_id = any (${conversations.labelIds}))`;

const isUnreadBy = (userId: string | undefined) =>
  userId === undefined
    ? sql<null>`null`
    : sql<boolean>`(not exists (
  select from agents.chat_reads r join agents.staff u on u.tenant_id = r.tenant_id and u.staff_id = r.staff_id
  where r.tenant_id = ${tenantId} and r.conversation_id = ${conversationId} and u.user_id = ${userId}
    and r.read_until >= ${conversations.lastMessageAt}))`;

const lastMessage = sql<LastMessage | null>`(
  select json_build_object('messageId', m.message_id, 'direction', m.direction, 'seq', m.seq,
    'text', left(m.text, ${lastMessageCharacters}), 'senderName', m.sender ->> 'name', 'isOfStaff', m.staff_id is not null,
    'staffUserId', (select s.user_id from agents.staff s where s.tenant_id = m.tenant_id and s.staff_id = m.staff_id),
    'createdAt', m.created_at)
  from agents.messages m where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId}
  order by m.message_id desc limit 1)`;

const outcomes = sql<SessionOutcome[] | null>`(
  select outcomes from agents.session_outcomes
  where tenant_id = ${tenantId} and conversation_id = ${conversationId} order by began_at desc limit 1)`;

const handledBy = and(
  eq(staff.tenantId, conversations.tenantId),
  eq(staff.staffId, conversations.assigneeStaffId),
);

/** Chats with their details, as the user sees them; callers narrow the query. */
const chatsOf = (tx: TenantTx, userId?: string) =>
  tx.db
    .select({
      row: conversations,
      botName: bots.name,
      state,
      labels: labelNames,
      isUnread: isUnreadBy(userId),
      isBlocked: sql<boolean>`(${chatStates.state} is not distinct from 'blocked')`,
      blockedReason: chatStates.reason,
      isWithPerson,
      assigneeUserId: staff.userId,
      people,
      lastMessage,
      outcomes,
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

interface Reader {
  tenantId: string;
  userId: string;
  /** The bots that a responder is limited to; `null` for everybody else. */
  botIds: readonly string[] | null;
}

const isOfBots = (botIds: Reader['botIds']) =>
  botIds ? inArray(conversations.botId, [...botIds]) : undefined;

/**
 * Lists chats, one more than the page's limit. Details are read only for the chats of the page. `peopleOf`: only the
 * other chats of the people of this conversation.
 */
export async function listChats(
  tx: TenantTx,
  { tenantId: ofTenant, userId, botIds }: Reader,
  { peopleOf, ...query }: ListChatsQuery & { peopleOf?: string | undefined },
): Promise<ChatRow[]> {
  const { after, order } = sorted(query, sortColumns, chatId);
  const byLastMessage = query.sort.endsWith('lastMessageAt');
  const page = tx.db
    .select({ chatId })
    .from(conversations)
    .leftJoin(staff, handledBy)
    .where(
      and(
        eq(tenantId, ofTenant),
        isOfBots(botIds),
        isListed(byLastMessage ? conversations.lastMessageAt : conversations.createdAt),
        ...narrowed(ofTenant, query),
        peopleOf ? isOtherChatOfPeople(ofTenant, peopleOf) : undefined,
        ...inInbox({ tenantId: ofTenant, userId }, query),
        after,
      ),
    )
    .orderBy(...order)
    .limit(query.limit + 1);
  const rows = await chatsOf(tx, userId)
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

const isQueued = sql<boolean>`${state} in ('open', 'waiting')`;

/** The chats of a queue. The query joins the staff who handle them. */
const queues = (userId: string): Readonly<Record<ChatQueue, SQL | undefined>> => ({
  mine: and(isWithPerson, eq(staff.userId, userId)),
  unassigned: sql`case when ${isWithPerson} then ${staff.userId} is null else ${state} = 'waiting' end`,
  waiting: sql`${state} = 'waiting'`,
  all: undefined,
});

function inInbox(
  { tenantId: ofTenant, userId }: { tenantId: string; userId: string },
  query: ListChatsQuery,
): (SQL | undefined)[] {
  const { queue, label, from, to } = query;
  return [
    query.state ? eq(state, query.state) : queue && isQueued,
    queue && queues(userId)[queue],
    label
      ? sql`exists (select from agents.labels l where l.tenant_id = ${ofTenant} and lower(l.name) = lower(${label})
          and l.label_id = any (${conversations.labelIds}))`
      : undefined,
    ...(query.agentVersion === undefined ? byLastSession(query) : [hasSession(ofTenant, query)]),
    from ? gte(conversations.lastMessageAt, from) : undefined,
    to ? lt(conversations.lastMessageAt, to) : undefined,
  ];
}

const byLastSession = ({ agentId, outcome }: ListChatsQuery): (SQL | undefined)[] => [
  agentId ? eq(conversations.stickyAgentId, agentId) : undefined,
  outcome ? sql`${outcome} = any (${outcomes}::text[])` : undefined,
];

/** Chats in which a version of an agent has answered a session, with the outcome if one is wanted. */
const hasSession = (ofTenant: string, { agentId, agentVersion, outcome }: ListChatsQuery) =>
  sql`${conversationId} in (
    select conversation_id from agents.session_outcomes
    where tenant_id = ${ofTenant} and agent_id = ${agentId} and agent_version = ${agentVersion}
      and ${outcome ? sql`${outcome} = any (outcomes)` : sql`true`})`;

/** Counts the chats of each queue. */
export async function countChats(
  tx: TenantTx,
  { tenantId: ofTenant, userId, botIds, botId }: Reader & { botId?: string | undefined },
): Promise<Record<ChatQueue | 'snoozed', number>> {
  const isWanted = and(
    eq(tenantId, ofTenant),
    isOfBots(botIds),
    botId ? eq(conversations.botId, botId) : undefined,
  );
  const countIf = (condition: SQL | undefined) =>
    sql<number>`count(*) filter (where ${condition})`.mapWith(Number);
  const { mine, unassigned, waiting } = queues(userId);
  const [[row], open] = await Promise.all([
    tx.db
      .select({
        mine: countIf(and(isQueued, mine)),
        unassigned: countIf(and(isQueued, unassigned)),
        waiting: countIf(waiting),
        snoozed: countIf(eq(state, 'snoozed')),
      })
      .from(conversations)
      .leftJoin(staff, handledBy)
      // As in the index `conversations_in_queues`.
      .where(
        and(
          isWanted,
          sql`(${conversations.handling} = 'person' or ${conversations.state} in ('waiting', 'snoozed'))`,
        ),
      ),
    tx.db.select({ chatId }).from(conversations).where(and(isWanted, isQueued)).limit(maxCountedChats),
  ]);
  return { ...row!, all: open.length };
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

/** `userId`: the user who asks, for `isUnread`. */
export const getConversationByChat = (tx: TenantTx, ofTenant: string, id: string, userId?: string) =>
  getChat(tx, ofTenant, eq(chatId, id), userId);

export const getChatOfConversation = (tx: TenantTx, ofTenant: string, id: string) =>
  getChat(tx, ofTenant, eq(conversationId, id));

async function getChat(
  tx: TenantTx,
  ofTenant: string,
  isWanted: SQL,
  userId?: string,
): Promise<ChatRow | undefined> {
  const [found] = await chatsOf(tx, userId).where(and(eq(tenantId, ofTenant), isWanted));
  return found && toRow(found);
}
