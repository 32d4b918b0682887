import type { DataOf } from '@botyard/contracts/events/definition';
import type { chatMigrated, InboundMessage } from '@botyard/contracts/events/webhooks';
import type { PageRequest } from '@botyard/contracts/http/page';
import { chatKeyOf } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, getTableColumns, ne, sql } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { v7 as uuidv7 } from 'uuid';
import { botGroups } from '../../store/routing-schema.ts';

export type GroupRow = typeof botGroups.$inferSelect;
type Changeable = Pick<GroupRow, 'answersWhen' | 'topics' | 'name'>;
/** `undefined` leaves a field unchanged. */
type GroupChange = { [Name in keyof Changeable]?: Changeable[Name] | undefined };

export interface GroupKey {
  tenantId: string;
  groupId: string;
}

const stored = rowsOf(botGroups, 'tenantId', 'groupId');
export const { get: getGroup } = stored;

/** The most topics that are stored per group. */
const maxKnownTopics = 100;

const { tenantId, groupId, botId, platform, kind, title } = getTableColumns(botGroups);
const touched = unnest('touched', {
  tenantId,
  groupId,
  botId,
  platform,
  chatKey: 'text',
  kind,
  title,
  topics: 'text',
  isOverheard: 'boolean',
});

/**
 * Records the groups of these messages, none of which is private, sorted so that writers can't deadlock. A known group
 * is updated at most once a minute, unless something about it is new. Groups of a deleted bot are ignored.
 */
export const touchGroups = preparedStatement({
  name: 'agents.bot_groups.touch',
  text: `insert into agents.bot_groups as g (tenant_id, group_id, bot_id, platform, platform_chat_id, kind, title,
           known_topics, overheard_at)
         select tenant_id, group_id, bot_id, platform, chat_key, kind, title,
           string_to_array(topics, ' '), case when is_overheard then now() end
         from ${touched}
         where not exists (select from agents.bots gone where gone.tenant_id = touched.tenant_id
           and gone.bot_id = touched.bot_id and gone.deleted_at is not null)
         order by tenant_id, bot_id, chat_key
         on conflict (tenant_id, bot_id, platform_chat_id) do update set
           title = excluded.title, last_message_at = now(), overheard_at = coalesce(excluded.overheard_at, g.overheard_at),
           known_topics = (g.known_topics || array(select topic from unnest(excluded.known_topics) topic
             where topic <> all (g.known_topics)))[:${maxKnownTopics}]
         where g.last_message_at < now() - interval '1 minute' or g.title <> excluded.title
           or g.overheard_at is null and excluded.overheard_at is not null
           or not g.known_topics @> excluded.known_topics and cardinality(g.known_topics) < ${maxKnownTopics}`,
  values: (arrived: readonly InboundMessage[]) => {
    const keyOf = ({ tenantId, botId, platform, chat }: InboundMessage) =>
      `${tenantId}/${botId}/${chatKeyOf(platform, chat.platformChatId)}`;
    const groups = [...Map.groupBy(arrived, keyOf).values()].map((messages) => {
      const last = messages.at(-1)!;
      const topics = messages.flatMap(({ chat: { threadId, threadKind } }) =>
        threadId && threadKind !== 'thread' ? threadId : [],
      );
      return {
        ...last,
        ...last.chat,
        chatKey: chatKeyOf(last.platform, last.chat.platformChatId),
        groupId: uuidv7(),
        isOverheard: messages.some(({ isAddressed }) => isAddressed === false),
        topics: [...new Set(topics)].slice(0, maxKnownTopics).join(' '),
      };
    });
    return touched.values(groups);
  },
});

/** Newest first, one more than the page's limit. */
export const listGroups = (
  tx: TenantTx,
  tenantId: string,
  { botId, ...page }: PageRequest & { botId?: string | undefined },
) => stored.list(tx, { tenantId, botId }, page);

export const updateGroup = (tx: TenantTx, key: GroupKey, change: GroupChange) =>
  stored.update(tx, key, { ...change, revision: sql`${botGroups.revision} + 1` });

/** Other groups of the bot in which it answers everything. */
export async function countOpenGroups(tx: TenantTx, { tenantId, botId, groupId }: GroupRow): Promise<number> {
  return await tx.db.$count(
    botGroups,
    and(
      eq(botGroups.tenantId, tenantId),
      eq(botGroups.botId, botId),
      eq(botGroups.answersWhen, 'always'),
      ne(botGroups.groupId, groupId),
    ),
  );
}

type Move = DataOf<typeof chatMigrated>;

const groupAt = ({ tenantId, botId, platform }: Move, platformChatId: string) =>
  and(
    eq(botGroups.tenantId, tenantId),
    eq(botGroups.botId, botId),
    eq(botGroups.chatKey, chatKeyOf(platform, platformChatId)),
  );

/**
 * Moves a group to the new chat, with all its settings. A row that was created for the new chat meanwhile is replaced,
 * but its revision is kept, so that the announcement is the newest. Returns `undefined` when the old group isn't known.
 */
export async function moveGroup(tx: TenantTx, move: Move): Promise<GroupRow | undefined> {
  const [old] = await tx.db
    .select({ groupId: botGroups.groupId })
    .from(botGroups)
    .where(groupAt(move, move.fromChatId))
    .for('update');
  if (!old) return undefined;
  const [interim] = await tx.db
    .delete(botGroups)
    .where(groupAt(move, move.toChatId))
    .returning({ revision: botGroups.revision });
  const [moved] = await tx.db
    .update(botGroups)
    .set({
      chatKey: chatKeyOf(move.platform, move.toChatId),
      revision: sql`greatest(${botGroups.revision}, ${interim?.revision ?? 0}) + 1`,
    })
    .where(groupAt(move, move.fromChatId))
    .returning();
  return moved;
}
