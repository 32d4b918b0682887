import {
  countBotDays,
  countRefusals,
  findMissingAgents,
  listAgents,
  listChats,
  listQuotes,
} from '@botyard/contracts/events/agents';
import { countTraffic, listPeople } from '@botyard/contracts/events/agents-people';
import {
  countHeldWork,
  erasePerson,
  findPerson,
  keepDocuments,
  sumSaid,
} from '@botyard/contracts/events/agents-requests';
import { botDeleted, botSaved, tenantDeleted } from '@botyard/contracts/events/tenancy';
import {
  chatChanged,
  chatMigrated,
  messageEdited,
  messageReceived,
  replyDelivered,
} from '@botyard/contracts/events/webhooks';
import { on, onBatch, onGathered, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { onBotDeleted } from './consumers/on-bot-deleted.ts';
import { onChatMigrated } from './consumers/on-chat-migrated.ts';
import { onMessageEdited } from './consumers/on-message-edited.ts';
import { onMessageReceived } from './consumers/on-message-received.ts';
import { onReplyDelivered } from './consumers/on-reply-delivered.ts';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import type { Deps } from './deps.ts';
import { readDocumentStorage } from './domain/documents/sources.ts';
import { heldWorkOf, saidOverTime } from './domain/figures/activity.ts';
import { listAvailableAgents } from './domain/figures/available-agents.ts';
import { countBotDays as countDays } from './domain/figures/bot-days.ts';
import { listChatsWithPeople, listQuotesOfChats } from './domain/figures/chats-across-users.ts';
import { countTraffic as countTrafficOf, listPeople as listPeopleWho } from './domain/figures/people.ts';
import { countRefusals as countRefusalsByDay } from './domain/figures/refusals.ts';
import {
  erasePerson as erasePersonHere,
  findPerson as findPersonHere,
} from './domain/retention/erasure/erase-person.ts';
import { ofUnerased } from './domain/retention/erasure/unerased.ts';
import { saveBot } from './store/bots.ts';
import { saveChatState } from './store/chats/chat-states.ts';
import { listAgentsInOrder } from './store/definitions/agent-definitions.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofUnerased(
    ofLivingTenants('agents', [
      onBatch(messageReceived, onMessageReceived),
      on(messageEdited, onMessageEdited),
    ]),
  ),
  ...ofLivingTenants('agents', [
    on(botSaved, (tx, { data }) => saveBot(tx, data)),
    on(botDeleted, onBotDeleted),
    on(chatChanged, (tx, { data }) => saveChatState(tx, data)),
    on(chatMigrated, onChatMigrated),
    onGathered(replyDelivered, onReplyDelivered),
  ]),
];

export function answerRequests(deps: Deps): void {
  const { bus, database } = deps;
  answer(bus, findMissingAgents, async ({ tenantId, agentIds }) => {
    const found = await withTenant(database, [tenantId], (tx) => listAgentsInOrder(tx, tenantId, agentIds));
    const known = new Set(found.map(({ id }) => id));
    return { missing: agentIds.filter((agentId) => !known.has(agentId)) };
  });
  answer(bus, countRefusals, (asked) => countRefusalsByDay(database, asked));
  answer(bus, listAgents, (wanted) => listAvailableAgents(database, wanted));
  answer(bus, listChats, (wanted) => listChatsWithPeople(database, wanted));
  answer(bus, listQuotes, (wanted) => listQuotesOfChats(database, wanted));
  answer(bus, listPeople, (wanted) => listPeopleWho(database, wanted));
  answer(bus, countTraffic, (wanted) => countTrafficOf(database, wanted));
  answer(bus, findPerson, (person) => findPersonHere(deps, person));
  answer(bus, erasePerson, (person) => erasePersonHere(deps, person));
  answer(bus, keepDocuments, (asked) => readDocumentStorage(deps, asked));
  answer(bus, countHeldWork, (asked) => heldWorkOf(database, asked));
  answer(bus, sumSaid, (asked) => saidOverTime(database, asked));
  answer(bus, countBotDays, (wanted) => countDays(database, wanted));
}
