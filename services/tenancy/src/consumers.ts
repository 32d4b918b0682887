import { releaseChanged } from '@botyard/contracts/events/agents-releases';
import {
  admitMessages,
  decideAccess,
  findAccountOwners,
  findApiToken,
  findBot,
  findCredentialIn,
  findIntegration,
  findStaff,
  resolveCaller,
  tenantExists,
} from '@botyard/contracts/events/tenancy';
import { installIntegration, renewSecrets } from '@botyard/contracts/events/tenancy-installations';
import {
  accountChanged,
  chatMigrated,
  personRenamed,
  registrationChanged,
} from '@botyard/contracts/events/webhooks';
import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { on, type Subscription } from '@botyard/shared/bus/consumer';
import { answer } from '@botyard/shared/bus/requests';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { toBotState } from './bots/domain/bots.ts';
import { installIntegration as saveInstallation } from './bots/domain/install-integration.ts';
import { getBot } from './bots/store/bots.ts';
import type { Deps } from './deps.ts';
import { applyIdentityChanges } from './identity/domain/apply-changes.ts';
import { onAccountChanged } from './integrations/consumers/on-account-changed.ts';
import { isCredentialIn } from './integrations/domain/find-credential-in.ts';
import { toIntegrationState } from './integrations/domain/registration.ts';
import { saveRenewal } from './integrations/domain/save-renewal.ts';
import {
  findIntegration as findIntegrationRow,
  saveRegistration,
} from './integrations/store/integrations.ts';
import { listOwnersOfAccounts } from './messenger-login/store/links.ts';
import { onChatMigrated } from './moderation/consumers/on-chat-migrated.ts';
import { onPersonRenamed } from './moderation/consumers/on-person-renamed.ts';
import { admitMessages as decideOnSenders } from './moderation/domain/admit-messages.ts';
import { listStaff } from './people/store/people.ts';
import { onReleaseChanged } from './release-mails/consumers/on-release-changed.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(registrationChanged, (tx, { data }) => saveRegistration(tx, data)),
  // An event without a tenant is handled across tenants.
  on(identityChanged, (tx, { data }, deps) =>
    applyIdentityChanges(deps, tx as unknown as PlatformTx, [data]),
  ),
  on(chatMigrated, onChatMigrated),
  on(personRenamed, onPersonRenamed),
  on(accountChanged, onAccountChanged),
  on(releaseChanged, onReleaseChanged),
];

export function answerRequests(deps: Deps): void {
  const { bus, database, callers, policies, keyring } = deps;
  answer(bus, resolveCaller, async ({ identity, visitedTenantId }) => {
    if (identity.kind === 'token') return { caller: null };
    const { caller } = await callers.resolve(identity, { fresh: true, pathTenantId: visitedTenantId });
    if (!caller) return { caller: null };
    return {
      caller: {
        ...caller,
        roles: [...caller.roles].map(([tenantId, role]) => ({ tenantId, role })),
        bots: [...caller.bots].map(([botId, tie]) => ({ botId, ...tie })),
        responds: [...caller.responds].map(([botId, tenantId]) => ({ botId, tenantId })),
        policedTenantIds: [...caller.policedTenantIds],
        unvisitedTenantIds: [...caller.unvisitedTenantIds],
      },
    };
  });
  answer(bus, findApiToken, async () => ({ token: null }));
  answer(bus, decideAccess, async (question) => {
    const refusals = question.caller.isToken
      ? question.places.map(({ tenantId }) => ({ tenantId, policies: [], reason: 'policy' as const }))
      : await callers.decide(question);
    return { refusals: refusals.map((refusal) => ({ ...refusal, policies: [...refusal.policies] })) };
  });
  // To the other services the platform's own tenant is an ordinary one, which only operators can reach.
  answer(bus, tenantExists, async ({ tenantId }) => ({
    exists: tenantId === platformTenantId || (await callers.tenantExists(tenantId)),
  }));
  answer(bus, findBot, async ({ tenantId, botId }) => {
    const row = await withPlatform(database, 'find bot', (tx) => getBot(tx, tenantId, botId));
    return { bot: row ? toBotState(row) : null };
  });
  answer(bus, findAccountOwners, async ({ accounts }) => ({
    owners: await withPlatform(database, 'owners of accounts', (tx) => listOwnersOfAccounts(tx, accounts)),
  }));
  answer(bus, findCredentialIn, async (searched) => ({
    isFound: await isCredentialIn({ database, keyring }, searched),
  }));
  answer(bus, findStaff, async (wanted) => ({
    staff: await withPlatform(database, 'staff of a tenant', (tx) => listStaff(tx, wanted)),
  }));
  answer(bus, admitMessages, (question) => decideOnSenders({ database, policies }, question));
  answer(bus, installIntegration, (installed) => saveInstallation(deps, installed));
  answer(bus, renewSecrets, (renewal) => saveRenewal(deps, renewal));
  answer(bus, findIntegration, async (wanted) => {
    const row = await withPlatform(database, 'find integration', (tx) => findIntegrationRow(tx, wanted));
    return { integration: row ? toIntegrationState(row) : null };
  });
}
