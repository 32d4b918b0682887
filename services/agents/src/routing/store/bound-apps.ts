import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { AppSpec } from '@botyard/contracts/http/app-spec';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { RoutedAgent } from './routing-view.ts';

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

/** What an agent of the query's `agents.agent_definitions d` is chosen by. */
export const routedAgent = `json_build_object('id', d.id, 'name', d.name, 'description', d.description,
    'keywords', d.keywords, 'capabilityIds', d.capability_ids, 'isEnabled', d.is_enabled, 'version', d.version)`;

/**
 * Apps that are bound to where a conversation is, in no order: a column of a query over the bot `b`, the conversation `c` and its
 * group `g`. Without a conversation, only what is bound to the whole bot.
 */
export const boundApps = `coalesce((select json_agg(json_build_object('appId', a.app_id, 'name', a.name, 'version', v.version,
      'spec', v.spec,
      'agents', coalesce((select json_agg(${routedAgent}) from agents.agent_definitions d
        where d.tenant_id = n.tenant_id and d.id = any (v.agent_ids)), '[]'),
      'binding', json_build_object('bindingId', n.binding_id, 'priority', n.priority, 'platform', n.platform, 'kind', n.kind,
        'chatId', n.chat_id, 'groupId', n.group_id, 'threadId', n.thread_id),
      'place', json_build_object('botId', n.bot_id, 'platform', c.platform, 'kind', c.place ->> 'kind', 'chatId', c.chat_id,
        'groupId', g.group_id, 'threadId', case when c.place is not null
          then coalesce(c.place ->> 'threadId', 'general') end)))
    from agents.app_bindings n
    join agents.apps a on a.tenant_id = n.tenant_id and a.app_id = n.app_id
    join agents.app_versions v on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
    where n.tenant_id = b.tenant_id and n.bot_id = b.bot_id
      and (n.platform is null or n.platform = c.platform) and (n.kind is null or n.kind = c.place ->> 'kind')
      and (n.chat_id is null or n.chat_id = c.chat_id) and (n.group_id is null or n.group_id = g.group_id)
      and (n.thread_id is null or n.thread_id = coalesce(c.place ->> 'threadId', 'general'))), '[]')`;
