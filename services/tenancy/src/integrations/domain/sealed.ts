import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { openJson, sealJson } from '@botyard/shared/secrets/sealed-json';
import type { IntegrationKey, IntegrationRow, NewIntegration } from '../store/integrations.ts';

/** The stored form of an integration's secrets: sealed and masked, never plain. */
export type StoredSecrets = Pick<
  NewIntegration,
  'sealedSecrets' | 'maskedCredentials' | 'maskedSettings' | 'accountId' | 'address'
>;

/** The columns of a tried account. The hash of a process of version 0.1.0 no longer counts. */
export type AccountColumns = Pick<
  IntegrationRow,
  'accountId' | 'address' | 'tokenHash' | 'accountState' | 'accountReason' | 'accountChangedAt'
>;

/** The columns that a change writes, computed once its row is locked. */
export type SecretsChange = (row: IntegrationRow) => Promise<Partial<StoredSecrets & AccountColumns>>;

/** Seals secrets for one integration only. */
export const sealFor = (keyring: Keyring, key: IntegrationKey, secrets: object): Promise<string> =>
  sealJson(keyring, secrets, integrationBinding(key));

/** The sealed form without credentials: what is left of an integration whose account was removed. */
export async function sealWithoutCredentials(keyring: Keyring, row: IntegrationRow): Promise<string> {
  const { settings, shownWhole } = platformDefinitions[row.integrationType];
  const names: readonly string[] = [...Object.keys(settings.shape), ...shownWhole];
  const kept = Object.entries((await openSealed(keyring, row)) as object);
  return await sealFor(keyring, row, Object.fromEntries(kept.filter(([name]) => names.includes(name))));
}

/** @throws Error when the value was altered or belongs to another integration. */
export const openSealed = (keyring: Keyring, row: IntegrationRow): Promise<unknown> =>
  openJson(keyring, row.sealedSecrets, integrationBinding(row));
