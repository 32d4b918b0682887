import type { AppSpec } from '@botyard/shared/contracts/app-spec';
import type { PlatformName } from '@botyard/shared/contracts/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { ChatPlace } from '@botyard/shared/events/webhooks';
import type { RoutedAgent } from '../routing/routing-view.ts';

/** Where a message was written; what isn't known is null. */
export interface MessagePlace {
  botId: string;
  platform: PlatformName | null;
  kind: ChatPlace['kind'] | null;
  chatId: string | null;
  groupId: string | null;
  /** `general` for what is in no topic. */
  threadId: string | null;
}

/** An app that serves at a place, with the spec that runs. */
export interface BoundApp {
  appId: string;
  name: string;
  version: number;
  spec: AppSpec;
  /** Those of its agents that are there, in no order. */
  agents: RoutedAgent[];
  binding: Pick<MessagePlace, 'platform' | 'kind' | 'chatId' | 'groupId' | 'threadId'> & {
    bindingId: string;
    priority: number;
  };
  place: MessagePlace;
}

/**
 * Apps that are bound to where a conversation is, in no order: one statement, to be sent together with others. Without a
 * conversation, only what is bound to the whole bot.
 */
export async function getBoundApps(
  tx: TenantTx,
  { tenantId, botId, conversationId }: { tenantId: string; botId: string; conversationId: string | null },
): Promise<BoundApp[]> {
  return await tx.query<BoundApp & Record<string, unknown>>({
    name: 'agents.turn.apps',
    text: `select a.app_id as "appId", a.name, v.version, v.spec,
        coalesce((select json_agg(json_build_object('id', d.id, 'name', d.name, 'description', d.description,
            'keywords', d.keywords, 'capabilityIds', d.capability_ids, 'isEnabled', d.is_enabled, 'version', d.version))
          from agents.agent_definitions d where d.tenant_id = b.tenant_id and d.id = any (v.agent_ids)), '[]') as agents,
        json_build_object('bindingId', b.binding_id, 'priority', b.priority, 'platform', b.platform, 'kind', b.kind,
          'chatId', b.chat_id, 'groupId', b.group_id, 'threadId', b.thread_id) as binding,
        json_build_object('botId', b.bot_id, 'platform', c.platform, 'kind', c.place ->> 'kind', 'chatId', c.chat_id,
          'groupId', g.group_id, 'threadId', case when c.place is not null
            then coalesce(c.place ->> 'threadId', 'general') end) as place
      from agents.app_bindings b
      join agents.apps a on a.tenant_id = b.tenant_id and a.app_id = b.app_id
      join agents.app_versions v on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
      left join agents.conversations c on c.tenant_id = b.tenant_id and c.conversation_id = $3 and c.bot_id = b.bot_id
      left join agents.bot_groups g on g.tenant_id = b.tenant_id and g.bot_id = b.bot_id
        and g.platform_chat_id = c.place ->> 'platformChatId'
      where b.tenant_id = $1 and b.bot_id = $2
        and (b.platform is null or b.platform = c.platform) and (b.kind is null or b.kind = c.place ->> 'kind')
        and (b.chat_id is null or b.chat_id = c.chat_id) and (b.group_id is null or b.group_id = g.group_id)
        and (b.thread_id is null or b.thread_id = coalesce(c.place ->> 'threadId', 'general'))`,
    values: [tenantId, botId, conversationId],
  });
}
