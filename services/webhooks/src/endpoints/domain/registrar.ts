import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withTenant } from '@botyard/shared/db/database';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Check, Registration } from '../../platforms/domain/registration.ts';
import type { Registrar } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import {
  type EndpointRow,
  forgetSecrets,
  registrationQueue,
  settleRegistration,
} from '../store/endpoints.ts';
import { putOffCheck, saveChecked, scheduleCheck } from '../store/webhook-checks.ts';
import { announceEndpoint } from './announce-endpoint.ts';
import { openSecrets } from './endpoints.ts';

/** The wait after a check that got no answer. */
const recheckMs = 60_000;

/** Registers the webhook address at the platforms, when an integration was created, changed or deleted (REQ-HOOK-5). */
export const createRegistrar = (deps: Deps): LeasedQueue<EndpointRow> =>
  new LeasedQueue(deps, {
    name: 'registrar',
    table: registrationQueue,
    slots: 8,
    run: (endpoint) => (endpoint.deletedAt ? remove(deps, endpoint) : register(deps, endpoint)),
  });

/** Registers an integration, or only checks it when a `check` is given. */
export async function register(deps: Deps, endpoint: EndpointRow, check?: Check): Promise<void> {
  const registrar = registrarOf(deps, endpoint);
  const secrets = await tryToOpen(deps, endpoint, endpoint.sealedSecrets);
  const outcome = secrets
    ? await registrar.register(urlOf(deps, endpoint), secrets, { ...endpoint, check })
    : unreadable(endpoint);
  if (check && outcome.state === 'pending') return await tryAgain(deps, endpoint, outcome.retryInMs);
  const { integrationId } = endpoint;
  const repair = 'repair' in outcome ? outcome.repair : undefined;
  if (repair)
    deps.log.warn({ integrationId, repair }, 'repaired a webhook that was not registered correctly');
  else if (!check) deps.log.info({ integrationId, state: outcome.state }, 'webhook registration');
  if (secrets && outcome.state === 'registered') await removeFormer(deps, endpoint, secrets);
  await withTenant(deps.database, [endpoint.tenantId], async (tx) => {
    const isNewest = await settleRegistration(tx, endpoint, outcome);
    tx.afterCommit(deps.wakeRegistrar);
    if (outcome.state === 'registered') {
      await saveChecked(tx, endpoint, { ...checking(deps), ...outcome });
      if (!check || repair) await announceEndpoint(deps, tx, endpoint);
    } else {
      await scheduleCheck(tx, endpoint, deps.webhookCheckEveryMs);
    }
    if (!isNewest) return;
    await deps.outbox.emit(tx, registrationChanged, {
      tenantId: endpoint.tenantId,
      integrationId: endpoint.integrationId,
      revision: endpoint.revision,
      state: outcome.state,
      checkedAt: new Date().toISOString(),
      ...(isPolled(deps, endpoint) ? { mode: 'polling' as const } : {}),
      ...('pendingUpdates' in outcome ? { pendingUpdates: outcome.pendingUpdates } : {}),
      ...(outcome.lastError ? { lastError: outcome.lastError } : {}),
    });
  });
}

/** A check without an answer shows nothing about the webhook, so its state is unchanged. */
async function tryAgain(deps: Deps, endpoint: EndpointRow, retryInMs: number | null): Promise<void> {
  const inMs = Math.max(retryInMs ?? 0, Math.min(recheckMs, deps.webhookCheckEveryMs));
  await withTenant(deps.database, [endpoint.tenantId], (tx) => putOffCheck(tx, endpoint, inMs));
}

const checking = (deps: Deps) => ({ baseUrl: registeredBaseUrl(deps), everyMs: deps.webhookCheckEveryMs });

/** The address for registered webhooks. After a change of it all webhooks are registered again. */
export const registeredBaseUrl = ({ platforms, webhookBaseUrl }: Deps): string =>
  Object.values(platforms).some(({ inbound }) => inbound?.poll) ? 'polling' : webhookBaseUrl;

/** The bot's token was replaced by another bot's. The old webhook would deliver here forever. */
async function removeFormer(deps: Deps, endpoint: EndpointRow, secrets: unknown): Promise<void> {
  const registrar = registrarOf(deps, endpoint);
  const former = await tryToOpen(deps, endpoint, endpoint.previousSealedSecrets);
  if (!former || registrar.isSameAccount(former, secrets)) return;
  await registrar.remove(urlOf(deps, endpoint), former, 1);
}

/** The webhook is removed from the platform before the token is forgotten. */
async function remove(deps: Deps, endpoint: EndpointRow): Promise<void> {
  const secrets = await tryToOpen(deps, endpoint, endpoint.sealedSecrets);
  const { registrationAttempts: attempts, tenantId, integrationId } = endpoint;
  const { isGone, retryInMs } = secrets
    ? await registrarOf(deps, endpoint).remove(urlOf(deps, endpoint), secrets, attempts)
    : { isGone: false, retryInMs: backoffMs(attempts) };
  deps.log.info({ integrationId, isGone }, 'webhook removal');
  await withTenant(deps.database, [tenantId], async (tx) => {
    // The purge of a deleted tenant waits only for this.
    if (isGone) tx.afterCommit(() => deps.tenantPurge.wake());
    if (isGone) {
      await forgetSecrets(tx, endpoint);
      await registrarOf(deps, endpoint).forget?.(tx, endpoint);
    } else await settleRegistration(tx, endpoint, { retryInMs });
    tx.afterCommit(deps.wakeRegistrar);
  });
}

const urlOf = ({ webhookBaseUrl }: Deps, { integrationType, botId }: EndpointRow) =>
  `${webhookBaseUrl}/webhooks/${integrationType}/${botId}`;

const isPolled = ({ platforms }: Deps, { integrationType }: EndpointRow): boolean =>
  platforms[integrationType].inbound?.poll !== undefined;

/** Only registered platforms are claimed. @throws Error for a platform without a registrar. */
function registrarOf({ platforms }: Deps, { integrationType }: EndpointRow): Registrar {
  const { registrar } = platforms[integrationType];
  if (!registrar) throw new Error(`webhooks of ${integrationType} are not registered`);
  return registrar;
}

const unreadable = ({ registrationAttempts }: EndpointRow): Registration => ({
  state: 'failed',
  lastError: 'the stored credentials can not be opened',
  retryInMs: backoffMs(registrationAttempts),
});

async function tryToOpen(deps: Deps, endpoint: EndpointRow, sealed: string | null): Promise<unknown> {
  if (!sealed) return undefined;
  try {
    return await openSecrets(deps.keyring, deps.platforms[endpoint.integrationType], endpoint, sealed);
  } catch (error) {
    const { integrationId } = endpoint;
    deps.log.error({ err: error, integrationId }, 'the credentials of an integration can not be opened');
    return undefined;
  }
}
