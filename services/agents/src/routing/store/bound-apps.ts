import { alias } from '@botyard/shared/db/drizzle';
import { allOf, like, one, orNull, rowByKey, shape, text } from '@botyard/shared/db/expressions';
import { pick, type RowOf } from '@botyard/shared/db/typed-sql';
import { appBindings, apps, appVersions } from '../../store/apps-schema.ts';
import { topicText } from '../../store/chat-key.ts';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { botGroups } from '../../store/routing-schema.ts';
import { conversations } from '../../store/schema.ts';

const d = alias(agentDefinitions, 'd');

/** The fields that routing reads from the query's `agents.agent_definitions d`. */
export const routedAgent = shape(
  pick(d, 'id', 'name', 'description', 'keywords', 'capabilityIds', 'isEnabled', 'version'),
);

const a = alias(apps, 'a');
const v = alias(appVersions, 'v');
const n = alias(appBindings, 'n');
const c = alias(conversations, 'c');

const messagePlace = shape({
  botId: n.botId,
  platform: orNull(c.platform),
  kind: like(n.kind, "c.place ->> 'kind'"),
  chatId: orNull(c.chatId),
  groupId: orNull(alias(botGroups, 'g').groupId),
  /** `general` for messages outside topics. */
  threadId: orNull(text(`case when c.place is not null then ${topicText} end`)),
});
/** The place where a message was written; unknown fields are null. */
export type MessagePlace = RowOf<typeof messagePlace>;

const boundApp = shape({
  appId: a.appId,
  name: a.name,
  version: v.version,
  spec: v.spec,
  /** Its agents that exist, in no order. */
  agents: allOf(
    routedAgent,
    `from (select distinct unnest(v.agent_ids)) as listed (id)
      cross join ${rowByKey('agents.agent_definitions', 'd', { tenant_id: 'n.tenant_id', id: 'listed.id' })}`,
  ),
  binding: one(shape(pick(n, 'bindingId', 'priority', 'platform', 'kind', 'chatId', 'groupId', 'threadId'))),
  place: one(messagePlace),
});
/** An app that is bound to a place, with its running spec. */
export type BoundApp = RowOf<typeof boundApp>;

/**
 * The apps that are bound to a conversation's place, in no order: a column of a query over the bot `b`, the
 * conversation `c` and its group `g`. Without a conversation, only the apps that are bound to the whole bot.
 */
export const boundApps = allOf(
  boundApp,
  `from agents.app_bindings n
    join agents.apps a on a.tenant_id = n.tenant_id and a.app_id = n.app_id
    join agents.app_versions v on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
    where n.tenant_id = b.tenant_id and n.bot_id = b.bot_id
      and (n.platform is null or n.platform = c.platform) and (n.kind is null or n.kind = c.place ->> 'kind')
      and (n.chat_id is null or n.chat_id = c.chat_id) and (n.group_id is null or n.group_id = g.group_id)
      and (n.thread_id is null or n.thread_id = ${topicText})`,
);
