import { createHash } from 'node:crypto';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import type { MessengerSecrets } from '@botyard/shared/events/tenancy';
import { registrationChanged } from '@botyard/shared/events/webhooks';
import { Secret } from '@botyard/shared/secrets/secret';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { CallResult } from '../clients/messenger.ts';
import type { Deps } from '../deps.ts';
import {
  claimRegistrations,
  type EndpointRow,
  forgetSecrets,
  settleRegistration,
} from '../store/endpoints.ts';
import { announceEndpoint } from './announce-endpoint.ts';
import { openSecrets } from './endpoints.ts';

const maxConcurrent = 8;
const pollEveryMs = 1000;

/** Shown in the messenger's menu of commands. */
const commands = [
  { command: 'start', description: 'Begin' },
  { command: 'help', description: 'What I can do' },
  { command: 'new', description: 'Begin a new conversation' },
];

/** What a try came to. `retryInMs: null` means that trying again is of no use until the integration is changed. */
type Outcome =
  | { state: 'registered'; fingerprint: string; pendingUpdates: number; lastError?: string | undefined }
  | { state: 'pending' | 'failed'; lastError: string; retryInMs: number | null };

/** Tells the platforms where to deliver, when an integration was created, changed or deleted (specification 6). */
export function createRegistrar(deps: Deps): ClaimLoop<EndpointRow> {
  const loop = new ClaimLoop<EndpointRow>({
    name: 'registrar',
    maxConcurrent,
    pollEveryMs,
    claim: (limit) =>
      withPlatform(deps.database, 'claim registrations', (tx) => claimRegistrations(tx, limit)),
    run: (endpoint) => (endpoint.deletedAt ? remove(deps, endpoint) : register(deps, endpoint)),
    log: deps.log,
  });
  return loop;
}

async function register(deps: Deps, endpoint: EndpointRow): Promise<void> {
  if (!endpoint.sealedSecrets) return;
  const secrets = await openSecrets(deps.keyring, endpoint, endpoint.sealedSecrets);
  const outcome = await tryToRegister(deps, endpoint, secrets);
  deps.log.info({ integrationId: endpoint.integrationId, state: outcome.state }, 'webhook registration');
  await withTenant(deps.database, [endpoint.tenantId], async (tx) => {
    const isCurrent = await settleRegistration(tx, endpoint, outcome);
    if (!isCurrent) return;
    await deps.outbox.emit(tx, registrationChanged, {
      tenantId: endpoint.tenantId,
      integrationId: endpoint.integrationId,
      revision: endpoint.revision,
      state: outcome.state,
      checkedAt: new Date().toISOString(),
      ...('pendingUpdates' in outcome ? { pendingUpdates: outcome.pendingUpdates } : {}),
      ...(outcome.lastError ? { lastError: outcome.lastError } : {}),
    });
    if (outcome.state === 'registered') await announceEndpoint(deps, tx, endpoint);
  });
}

/**
 * Reads the current webhook first and sets it only when the address differs, or when the secret does: the platform
 * never tells the secret, so what was registered last is remembered by its fingerprint (decisions 5).
 */
async function tryToRegister(deps: Deps, endpoint: EndpointRow, secrets: MessengerSecrets): Promise<Outcome> {
  const token = new Secret(secrets.botToken);
  const url = `${deps.webhookBaseUrl}/webhooks/messenger/${endpoint.botId}`;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([url, secrets.botToken, secrets.webhookSecretToken]))
    .digest('base64url');
  const current = await deps.messenger.getWebhookInfo(token);
  if (current.outcome !== 'ok') return failureOf(current, endpoint.registrationAttempts);
  const { pendingUpdates } = current.result;
  if (current.result.url === url && endpoint.registeredFingerprint === fingerprint) {
    return { state: 'registered', fingerprint, pendingUpdates, lastError: current.result.lastError };
  }
  const set = await deps.messenger.setWebhook(token, { url, secretToken: secrets.webhookSecretToken });
  if (set.outcome !== 'ok') return failureOf(set, endpoint.registrationAttempts);
  const named = await deps.messenger.setCommands(token, commands);
  if (named.outcome !== 'ok')
    deps.log.warn({ integrationId: endpoint.integrationId }, 'the menu of commands was not set');
  return { state: 'registered', fingerprint, pendingUpdates };
}

/** The webhook is removed from the platform before the token is forgotten. */
async function remove(deps: Deps, endpoint: EndpointRow): Promise<void> {
  if (!endpoint.sealedSecrets) return;
  const secrets = await openSecrets(deps.keyring, endpoint, endpoint.sealedSecrets);
  const result = await deps.messenger.deleteWebhook(new Secret(secrets.botToken));
  const isGone = result.outcome === 'ok' || result.outcome === 'refused';
  deps.log.info({ integrationId: endpoint.integrationId, isGone }, 'webhook removal');
  await withTenant(deps.database, [endpoint.tenantId], async (tx) => {
    if (isGone) await forgetSecrets(tx, endpoint);
    else
      await settleRegistration(tx, endpoint, {
        retryInMs: failureOf(result, endpoint.registrationAttempts).retryInMs,
      });
  });
}

function failureOf(
  result: Exclude<CallResult<unknown>, { outcome: 'ok' }>,
  attempts: number,
): Extract<Outcome, { retryInMs: number | null }> {
  switch (result.outcome) {
    case 'refused':
      return { state: 'failed', lastError: result.reason, retryInMs: null };
    case 'limited':
      return {
        state: 'pending',
        lastError: 'the platform asks to wait',
        retryInMs: Math.max(result.retryAfterMs, backoffMs(attempts)),
      };
    case 'failed':
      return { state: 'pending', lastError: result.reason, retryInMs: backoffMs(attempts) };
  }
}
