import { groupSaved, handlingChanged, replyCreated } from '@botyard/contracts/events/agents';
import { integrationDeleted, integrationSaved, tenantDeleted } from '@botyard/contracts/events/tenancy';
import { beginInstallation, checkAccount } from '@botyard/contracts/events/webhook-accounts';
import {
  checkEndpoint,
  dropMedia,
  eraseTransport,
  findCorrespondents,
  findMedia,
  findMessages,
  keepMails,
  listEndpointHealth,
  listRecentMessages,
  reserveFile,
  sumSending,
  sumSendingOfTenants,
} from '@botyard/contracts/events/webhook-requests';
import { fillTemplate, listTemplates } from '@botyard/contracts/events/webhook-templates';
import { on, onBatch, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { findKeptMessages, listRecent } from './admission/domain/kept-messages.ts';
import { onHandlingChanged } from './chats/consumers/on-handling-changed.ts';
import {
  fillTemplate as fillTemplateHere,
  listTemplates as listTemplatesHere,
} from './chats/domain/templates.ts';
import { onReplyCreated } from './delivery/consumers/on-reply-created.ts';
import type { Deps } from './deps.ts';
import { onGroupSaved } from './endpoints/consumers/on-group-saved.ts';
import { onIntegrationDeleted } from './endpoints/consumers/on-integration-deleted.ts';
import { onIntegrationSaved } from './endpoints/consumers/on-integration-saved.ts';
import { createTrials, tryAccount } from './endpoints/domain/check-account.ts';
import { checkNow } from './endpoints/domain/checker.ts';
import { healthOfEndpoints, sendingOfPlatforms, sendingOfTenants } from './endpoints/domain/health.ts';
import { onTenantDeleted } from './erasure/consumers/on-tenant-deleted.ts';
import { eraseTransport as eraseTransportHere } from './erasure/domain/erase-transport.ts';
import { findCorrespondents as findCorrespondentsHere } from './erasure/domain/find-correspondents.ts';
import { readMailStorage } from './files/domain/storage.ts';
import { beginInstallation as beginInstallationHere } from './installations/domain/begin-installation.ts';
import { dropMedia as dropMediaHere, findMedia as findMediaHere } from './media/domain/find-media.ts';

import { reserveFile as reserveFileHere } from './media/domain/outbound-file.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofLivingTenants('webhooks', [
    on(integrationSaved, onIntegrationSaved),
    on(integrationDeleted, onIntegrationDeleted),
    onBatch<typeof replyCreated, Deps>(replyCreated, onReplyCreated),
    on(groupSaved, onGroupSaved),
    on(handlingChanged, onHandlingChanged),
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
  answer(bus, findMedia, (asked) => findMediaHere(deps, asked));
  answer(bus, reserveFile, (asked) => reserveFileHere(deps, asked));
  answer(bus, fillTemplate, (asked) => fillTemplateHere(deps, asked));
  answer(bus, listTemplates, (asked) => listTemplatesHere(deps, asked));
  answer(bus, dropMedia, (asked) => dropMediaHere(deps, asked));
  answer(bus, checkEndpoint, (asked) => checkNow(deps, asked));
  const trials = createTrials();
  answer(bus, checkAccount, (trial) => tryAccount(deps, trials, trial));
  answer(bus, beginInstallation, (asked) => beginInstallationHere(deps, asked));
}
