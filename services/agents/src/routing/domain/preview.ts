import type { TriagePreviewBody } from '@botyard/contracts/http/agents';
import type { TriageRecord } from '@botyard/contracts/http/triage';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { requireBot } from '../../conversations/domain/known-bot.ts';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import { listDefinitionsInOrder } from '../../definitions/store/definitions.ts';
import type { Deps } from '../deps.ts';
import {
  getRoutingView,
  listRoutedCapabilities,
  nothingRouted,
  type RoutedAgent,
  type RoutingView,
} from '../store/routing-view.ts';
import { readAddress } from './address.ts';
import { agentsAt, triage } from './triage.ts';

/**
 * Predicts which agent would answer a message: of a bot, in one of its chats, or among some agents. Calls no model and
 * changes nothing.
 * @throws HttpError 404 for a bot, a chat or an agent that isn't the tenant's.
 */
export async function previewTriage(
  deps: Deps,
  tenantId: string,
  body: TriagePreviewBody,
): Promise<TriageRecord> {
  const { agentIds } = body;
  const { agents, routing, chat } = agentIds
    ? await withTenant(deps.database, [tenantId], (tx) => readAgents(tx, tenantId, agentIds))
    : await readBot(deps, tenantId, body);
  const address = readAddress(body.message, agentsAt(agents, routing));
  const input = {
    message: address.to === 'unknown' ? body.message : address.text,
    addressed: address.to === 'agent' ? address.agent : null,
    stickyAgentId: chat?.stickyAgentId ?? null,
    language: body.language ?? null,
    agents,
    routing,
  };
  return triage(input, deps.wordIndexes.of(tenantId));
}

interface Place {
  agents: RoutedAgent[];
  routing: RoutingView;
  chat: ConversationRow | undefined;
}

async function readAgents(tx: TenantTx, tenantId: string, agentIds: readonly string[]): Promise<Place> {
  const wanted = [...new Set(agentIds)];
  const agents = await listDefinitionsInOrder(tx, 'agent', { tenantId, ids: wanted });
  if (agents.length < wanted.length) throw notFound('agent');
  const capabilityIds = agents.flatMap((agent) => agent.capabilityIds);
  const capabilities = await listRoutedCapabilities(tx, tenantId, capabilityIds);
  return { agents, routing: { ...nothingRouted, capabilities }, chat: undefined };
}

async function readBot(
  deps: Deps,
  tenantId: string,
  { botId, chatId }: Pick<TriagePreviewBody, 'botId' | 'chatId'>,
): Promise<Place> {
  const chat = chatId
    ? await withTenant(deps.database, [tenantId], (tx) => getConversationByChat(tx, tenantId, chatId))
    : undefined;
  if (chatId && (!chat || (botId && chat.botId !== botId))) throw notFound('chat');
  const bot = await requireBot(deps, tenantId, chat?.botId ?? botId ?? '');
  const conversation = { tenantId, botId: bot.botId, conversationId: chat?.conversationId ?? null };
  const [agents, routing] = await withTenant(deps.database, [tenantId], (tx) =>
    Promise.all([
      listDefinitionsInOrder(tx, 'agent', { tenantId, ids: bot.agentIds }),
      getRoutingView(tx, conversation),
    ]),
  );
  return { agents, routing, chat };
}
