import { integrationBinding } from '@botyard/contracts/events/tenancy';
import {
  InstalledSecrets,
  isReplacedBy,
  type RenewedSecrets,
  renewSecrets,
} from '@botyard/contracts/events/tenancy-installations';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { sealJson } from '@botyard/shared/secrets/sealed-json';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Renewer } from '../../platforms/domain/account.ts';
import type { Deps } from '../deps.ts';
import type { EndpointRow } from '../store/endpoints.ts';
import { keepRenewed, renewalQueue, settleRenewal } from '../store/renewals.ts';
import { announceEndpoint } from './announce-endpoint.ts';
import { openRenewed, openSecrets } from './endpoints.ts';

/** Within the lease, together with the request that saves the secrets. */
const maxRenewalMs = 10_000;
const slots = 10;

/**
 * Renews secrets before they expire, in one process at a time. The platform accepts the former secrets for a short time
 * only, so the new ones are stored here at once, and then sent to the tenancy service until it has saved them. The
 * announcement of the saved integration ends the renewal. Tenants take turns, so that one with many integrations delays
 * no other one, whose tokens expire meanwhile.
 */
export const createRenewals = (deps: Deps): LeasedQueue<EndpointRow> =>
  new LeasedQueue(deps, {
    name: 'renewals of secrets',
    table: renewalQueue,
    slots,
    share: slots / 5,
    run: (endpoint) => renew(deps, endpoint),
  });

async function renew(deps: Deps, endpoint: EndpointRow): Promise<void> {
  const { renewer } = deps.platforms[endpoint.integrationType];
  const opened = renewer && (await tryToOpen(deps, endpoint));
  if (!opened) return await settle(deps, endpoint, { dueAt: null });
  const { secrets, renewed } = opened;
  if (renewed && isReplacedBy({ ...(secrets as object) }, renewed))
    return await save(deps, endpoint, { sealedRenewal: endpoint.renewedSecrets! });
  const dueAt = renewer.dueAt(secrets) ?? null;
  if (dueAt === null || dueAt > new Date()) return await settle(deps, endpoint, { dueAt, isAnnounced: true });
  await renewNow(deps, endpoint, renewer, secrets);
}

/** Secrets that can't be opened are reported, and not tried again until others are announced. */
async function tryToOpen(
  { keyring, log, platforms }: Pick<Deps, 'keyring' | 'log' | 'platforms'>,
  endpoint: EndpointRow,
): Promise<{ secrets: unknown; renewed: RenewedSecrets | undefined } | undefined> {
  const { integrationType, integrationId, sealedSecrets } = endpoint;
  if (!sealedSecrets) return undefined;
  try {
    const secrets = await openSecrets(keyring, platforms[integrationType], endpoint, sealedSecrets);
    return { secrets, renewed: await openRenewed(keyring, endpoint) };
  } catch (error) {
    log.error({ err: error, integrationId }, 'the credentials of an integration can not be opened');
    return undefined;
  }
}

async function renewNow(
  deps: Deps,
  endpoint: EndpointRow,
  renewer: Renewer,
  secrets: unknown,
): Promise<void> {
  const { tenantId, integrationId, registrationAttempts } = endpoint;
  const result = await renewer.renew(secrets, AbortSignal.timeout(maxRenewalMs));
  if (result.outcome === 'failed') {
    const { reason, retryInMs = backoffMs(registrationAttempts) } = result;
    deps.log.warn({ tenantId, integrationId, reason }, 'the secrets of an integration could not be renewed');
    return await settle(deps, endpoint, { dueAt: new Date(Date.now() + retryInMs) });
  }
  const replaced = replacedOf(secrets, renewer.replaces);
  const renewal: RenewedSecrets = { replaced, renewed: result.outcome === 'ok' ? result.secrets : {} };
  const sealedRenewal = await sealJson(deps.keyring, renewal, integrationBinding(endpoint));
  if (result.outcome === 'refused') {
    const { reason: refusal } = result;
    deps.log.warn({ tenantId, integrationId, reason: refusal }, 'a platform refuses to renew secrets');
    return await save(deps, endpoint, { sealedRenewal, refusal });
  }
  const isKept = await withTenant(deps.database, [tenantId], async (tx) => {
    await announceEndpoint(deps, tx, endpoint);
    return await keepRenewed(tx, endpoint, sealedRenewal);
  });
  if (isKept) await save(deps, endpoint, { sealedRenewal });
}

/** Has tenancy save a renewal. Its announcement of the integration makes the next look due. */
async function save(
  deps: Deps,
  endpoint: EndpointRow,
  renewal: { sealedRenewal: string; refusal?: string },
): Promise<void> {
  const { tenantId, botId, integrationId, registrationAttempts } = endpoint;
  try {
    const { outcome } = await ask(deps.bus, renewSecrets, { tenantId, botId, integrationId, ...renewal });
    deps.log.info({ tenantId, integrationId, outcome }, 'renewed secrets were sent');
    await settle(deps, endpoint, { dueAt: null });
  } catch (error) {
    deps.log.warn({ err: error, tenantId, integrationId }, 'renewed secrets could not be saved');
    await settle(deps, endpoint, { dueAt: new Date(Date.now() + backoffMs(registrationAttempts)) });
  }
}

const settle = (
  { database }: Pick<Deps, 'database'>,
  endpoint: EndpointRow,
  outcome: Parameters<typeof settleRenewal>[2],
): Promise<void> => withTenant(database, [endpoint.tenantId], (tx) => settleRenewal(tx, endpoint, outcome));

function replacedOf(secrets: unknown, names: readonly string[]): InstalledSecrets {
  const entries = Object.entries(secrets as object);
  return InstalledSecrets.parse(Object.fromEntries(entries.filter(([name]) => names.includes(name))));
}
