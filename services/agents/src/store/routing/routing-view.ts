import type { TenantTx } from '@botyard/shared/db/database';
import type { ChatPlace } from '@botyard/shared/events/webhooks';
import { type BoundApp, getBoundApps } from '../apps/bound-apps.ts';
import type { GroupRow } from './groups.ts';

/** What an agent is chosen by. */
export interface RoutedAgent {
  id: string;
  name: string;
  description: string;
  keywords: string[];
  capabilityIds: string[];
  isEnabled: boolean;
  version: number;
}

export interface RoutedCapability {
  id: string;
  name: string;
  description: string;
  keywords: string[];
  version: number;
}

/** An assignment whose place a conversation is in, with its agent. */
export interface PlacedAssignment {
  assignmentId: string;
  chatId: string | null;
  groupId: string | null;
  kind: ChatPlace['kind'] | null;
  threadId: string | null;
  keywords: string[];
  language: string | null;
  priority: number;
  agent: RoutedAgent;
}

/** What decides who answers beside the bot and its agents, as it is at one moment. */
export interface RoutingView {
  group: Pick<GroupRow, 'groupId' | 'answersWhen' | 'topics'> | null;
  /** In no order. */
  assignments: PlacedAssignment[];
  /** Those of the bot's agents. */
  capabilities: RoutedCapability[];
  /** Apps that serve there, in no order. */
  apps: BoundApp[];
}

export const nothingRouted: RoutingView = { group: null, assignments: [], capabilities: [], apps: [] };

/**
 * Reads it in two statements that are sent at once, together with others. Without a conversation, assignments to everywhere are the only
 * ones that hold.
 */
export async function getRoutingView(
  tx: TenantTx,
  place: { tenantId: string; botId: string; conversationId: string | null },
): Promise<RoutingView> {
  const [[row], apps] = await Promise.all([queryRouting(tx, place), getBoundApps(tx, place)]);
  return { ...(row ?? nothingRouted), apps };
}

function queryRouting(
  tx: TenantTx,
  { tenantId, botId, conversationId }: { tenantId: string; botId: string; conversationId: string | null },
): Promise<(Omit<RoutingView, 'apps'> & Record<string, unknown>)[]> {
  return tx.query({
    name: 'agents.turn.routing',
    text: `select
        (select json_build_object('groupId', g.group_id, 'answersWhen', g.answers_when, 'topics', g.topics)
          where g.group_id is not null) as "group",
        coalesce((select json_agg(json_build_object('assignmentId', a.assignment_id, 'chatId', a.chat_id,
            'groupId', a.group_id, 'kind', a.kind, 'threadId', a.thread_id, 'keywords', a.keywords,
            'language', a.language, 'priority', a.priority, 'agent', json_build_object('id', d.id, 'name', d.name,
              'description', d.description, 'keywords', d.keywords, 'capabilityIds', d.capability_ids,
              'isEnabled', d.is_enabled, 'version', d.version)))
          from agents.bot_assignments a
          join agents.agent_definitions d on d.tenant_id = a.tenant_id and d.id = a.agent_id
          where a.tenant_id = b.tenant_id and a.bot_id = b.bot_id
            and (a.chat_id is null or a.chat_id = c.chat_id) and (a.group_id is null or a.group_id = g.group_id)
            and (a.kind is null or a.kind = c.place ->> 'kind')
            and (a.thread_id is null or a.thread_id = coalesce(c.place ->> 'threadId', 'general'))), '[]') as assignments,
        coalesce((select json_agg(json_build_object('id', k.id, 'name', k.name, 'description', k.description,
            'keywords', k.keywords, 'version', k.version) order by k.id)
          from agents.capability_definitions k
          where k.tenant_id = b.tenant_id and k.id in (select unnest(d.capability_ids) from agents.agent_definitions d
            where d.tenant_id = b.tenant_id and d.id = any (b.agent_ids))), '[]') as capabilities
      from agents.bots b
      left join agents.conversations c on c.tenant_id = b.tenant_id and c.conversation_id = $3 and c.bot_id = b.bot_id
      left join agents.bot_groups g on g.tenant_id = b.tenant_id and g.bot_id = b.bot_id
        and g.platform_chat_id = c.place ->> 'platformChatId'
      where b.tenant_id = $1 and b.bot_id = $2`,
    values: [tenantId, botId, conversationId],
  });
}

export async function listRoutedCapabilities(
  tx: TenantTx,
  tenantId: string,
  ids: readonly string[],
): Promise<RoutedCapability[]> {
  return await tx.query<RoutedCapability & Record<string, unknown>>({
    name: 'agents.capabilities.routed',
    text: `select id, name, description, keywords, version from agents.capability_definitions
           where tenant_id = $1 and id = any ($2::uuid[]) order by id`,
    values: [tenantId, [...ids]],
  });
}
