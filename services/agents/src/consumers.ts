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
  messageDeleted,
  messageEdited,
  messageReceived,
  personRenamed,
  replyDelivered,
  replyRated,
  replyReported,
} from '@botyard/contracts/events/webhooks';
import { on, onBatch, onGathered, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { applyDeletion, applyEdit } from './conversations/domain/apply-edit.ts';
import { saveChatState } from './conversations/store/chat-states.ts';
import { saveDeliveries, saveReceipt } from './conversations/store/messages.ts';
import { renamePerson } from './conversations/store/renamed-people.ts';
import { listDefinitionsInOrder } from './definitions/store/definitions.ts';
import type { Deps } from './deps.ts';
import { onBotDeleted } from './erasure/consumers/on-bot-deleted.ts';
import { onTenantDeleted } from './erasure/consumers/on-tenant-deleted.ts';
import {
  erasePerson as erasePersonHere,
  findPerson as findPersonHere,
} from './erasure/domain/erase-person.ts';
import { ofUnerased } from './erasure/domain/unerased.ts';
import { onMessageReceived } from './intake/consumers/on-message-received.ts';
import { readDocumentStorage } from './knowledge/domain/sources.ts';
import { saveRating } from './outcomes/domain/save-rating.ts';
import { moveChat } from './routing/domain/change-groups.ts';
import {
  countRefusals as countRefusalsByDay,
  heldWorkOf,
  saidOverTime,
} from './statistics/domain/activity.ts';
import { listAvailableAgents } from './statistics/domain/agents-at-work.ts';
import { countBotDays as countDays } from './statistics/domain/bot-days.ts';
import { listChatsWithPeople, listQuotesOfChats } from './statistics/domain/chats-across-users.ts';
import { countTraffic as countTrafficOf, listPeople as listPeopleWho } from './statistics/domain/people.ts';
import { saveBot } from './store/bots.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofUnerased(
    ofLivingTenants('agents', [
      onBatch(messageReceived, (tx, events, deps: Deps) => onMessageReceived(tx, events, deps)),
      on(messageEdited, (tx, { data }) => applyEdit(tx, data)),
    ]),
  ),
  ...ofLivingTenants('agents', [
    on(botSaved, (tx, { data }) => saveBot(tx, data)),
    on(botDeleted, onBotDeleted),
    on(messageDeleted, (tx, { data }) => applyDeletion(tx, data)),
    on(chatChanged, (tx, { data }) => saveChatState(tx, data)),
    on(chatMigrated, (tx, { data }, deps: Deps) => moveChat(deps, tx, data)),
    on(personRenamed, (tx, { data }) => renamePerson(tx, data)),
    on(replyReported, (tx, { data }) => saveReceipt(tx, data)),
    on(replyRated, (tx, { data }) => saveRating(tx, data)),
    onGathered(replyDelivered, async (tx, events) => {
      tx.endsHere();
      await saveDeliveries(
        tx,
        events.map(({ data }) => data),
      );
    }),
  ]),
];

export function answerRequests(deps: Deps): void {
  const { bus, database } = deps;
  deps.live.watch();
  answer(bus, findMissingAgents, async ({ tenantId, agentIds }) => {
    const agents = await withTenant(database, [tenantId], (tx) =>
      listDefinitionsInOrder(tx, 'agent', { tenantId, ids: agentIds }),
    );
    const existingIds = new Set(agents.map(({ id }) => id));
    return { missing: agentIds.filter((agentId) => !existingIds.has(agentId)) };
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
