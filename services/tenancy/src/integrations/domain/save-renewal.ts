import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import {
  isReplacedBy,
  RenewedSecrets,
  type renewSecrets as request,
} from '@botyard/contracts/events/tenancy-installations';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { openJson } from '@botyard/shared/secrets/sealed-json';
import { mask } from '@botyard/shared/secrets/secret';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { detachIntegration } from '../store/accounts.ts';
import { type IntegrationRow, lockIntegration, updateIntegration } from '../store/integrations.ts';
import { toIntegrationState } from './registration.ts';
import { openSealed, sealFor, sealWithoutCredentials } from './sealed.ts';

type Renewal = z.output<(typeof request)['request']>;
type Answer = z.input<(typeof request)['response']>;

/**
 * Saves the secrets that a platform renewed, or ends the integration if the platform refuses to. An integration that
 * was installed again meanwhile has other secrets, and keeps them.
 */
export async function saveRenewal(
  deps: Pick<Deps, 'database' | 'keyring' | 'outbox'>,
  { sealedRenewal, refusal, ...key }: Renewal,
): Promise<Answer> {
  const { database, keyring, outbox } = deps;
  const opened = await openJson(keyring, sealedRenewal, integrationBinding(key)).catch(() => undefined);
  if (opened === undefined) return { outcome: 'not readable' };
  const renewal = RenewedSecrets.parse(opened);
  return await withTenant(database, [key.tenantId], async (tx): Promise<Answer> => {
    const row = await lockIntegration(tx, key);
    if (!row) return { outcome: 'outdated' };
    const secrets = (await openSealed(keyring, row)) as Readonly<Record<string, unknown>>;
    if (!isReplacedBy(secrets, renewal)) return { outcome: 'outdated' };
    const saved =
      refusal === undefined
        ? await replaceSecrets(deps, tx, row, { ...secrets, ...renewal.renewed })
        : await detachIntegration(tx, row, {
            reason: refusal,
            sealedSecrets: await sealWithoutCredentials(keyring, row),
          });
    await outbox.emit(tx, integrationSaved, toIntegrationState(saved));
    return { outcome: 'saved' };
  });
}

async function replaceSecrets(
  { keyring }: Pick<Deps, 'keyring'>,
  tx: TenantTx,
  row: IntegrationRow,
  secrets: Readonly<Record<string, unknown>>,
): Promise<IntegrationRow> {
  const { integrationType, maskedCredentials } = row;
  const masked = Object.keys(maskedCredentials).flatMap((name) => {
    const secret = secrets[name];
    return typeof secret === 'string' ? [[name, mask(secret)]] : [];
  });
  return await updateIntegration(tx, row, {
    integrationType,
    sealedSecrets: await sealFor(keyring, row, secrets),
    maskedCredentials: { ...maskedCredentials, ...Object.fromEntries(masked) },
  });
}
