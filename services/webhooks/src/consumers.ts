import { on, onBatch, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { groupSaved, replyCreated } from '@botyard/shared/events/agents';
import { integrationDeleted, integrationSaved, tenantDeleted } from '@botyard/shared/events/tenancy';
import {
  checkEndpoint,
  eraseTransport,
  findCorrespondents,
  findMessages,
  keepMails,
  listEndpointHealth,
  listRecentMessages,
  sumSending,
  sumSendingOfTenants,
} from '@botyard/shared/events/webhook-requests';
import { onGroupSaved } from './consumers/on-group-saved.ts';
import { onIntegrationDeleted } from './consumers/on-integration-deleted.ts';
import { onIntegrationSaved } from './consumers/on-integration-saved.ts';
import { onReplyCreated } from './consumers/on-reply-created.ts';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import type { Deps } from './deps.ts';
import { readMailStorage } from './domain/email/storage.ts';
import { checkNow } from './domain/endpoints/checker.ts';
import { healthOfEndpoints, sendingOfPlatforms, sendingOfTenants } from './domain/endpoints/health.ts';
import { eraseTransport as eraseTransportHere } from './domain/erasure/erase-transport.ts';
import { findCorrespondents as findCorrespondentsHere } from './domain/erasure/find-correspondents.ts';
import { findKeptMessages, listRecent } from './domain/kept-messages.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofLivingTenants('webhooks', [
    on(integrationSaved, onIntegrationSaved),
    on(integrationDeleted, onIntegrationDeleted),
    onBatch(replyCreated, onReplyCreated),
    on(groupSaved, onGroupSaved),
  ]),
];

export function answerRequests(deps: Deps): void {
  const { bus, database } = deps;
  answer(bus, listEndpointHealth, (asked) => healthOfEndpoints(database, asked));
  answer(bus, sumSending, (asked) => sendingOfPlatforms(database, asked));
  answer(bus, findMessages, (asked) => findKeptMessages(deps, asked));
  answer(bus, listRecentMessages, () => listRecent(deps));
  answer(bus, findCorrespondents, (person) => findCorrespondentsHere(deps, person));
  answer(bus, eraseTransport, (asked) => eraseTransportHere(deps, asked));
  answer(bus, sumSendingOfTenants, (asked) => sendingOfTenants(database, asked));
  answer(bus, keepMails, (asked) => readMailStorage(deps, asked));
  answer(bus, checkEndpoint, (asked) => checkNow(deps, asked));
}
