import { on, onBatch, type Subscription } from '@botyard/shared/bus/consumer';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { findMissingAgents } from '@botyard/shared/events/agents';
import { botDeleted, botSaved } from '@botyard/shared/events/tenancy';
import { messageReceived, replyDelivered } from '@botyard/shared/events/webhooks';
import { onMessageReceived } from './consumers/on-message-received.ts';
import { onReplyDelivered } from './consumers/on-reply-delivered.ts';
import type { Deps } from './deps.ts';
import { deleteBot, saveBot } from './store/bots.ts';
import { listAgentsInOrder } from './store/definitions.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(botSaved, (tx, { data }) => saveBot(tx, data)),
  on(botDeleted, (tx, { data }) => deleteBot(tx, data)),
  onBatch(messageReceived, onMessageReceived),
  on(replyDelivered, onReplyDelivered),
];

export function answerRequests({ bus, database }: Deps): void {
  answer(bus, findMissingAgents, async ({ tenantId, agentIds }) => {
    const found = await withTenant(database, [tenantId], (tx) => listAgentsInOrder(tx, tenantId, agentIds));
    const known = new Set(found.map(({ id }) => id));
    return { missing: agentIds.filter((agentId) => !known.has(agentId)) };
  });
}
