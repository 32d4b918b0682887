import { integrationBinding } from '@botyard/contracts/events/tenancy';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { IntegrationKey, IntegrationRow, NewIntegration } from '../store/integrations.ts';

/** The stored form of an integration's secrets: sealed and masked, never plain. */
export type StoredSecrets = Pick<
  NewIntegration,
  'sealedSecrets' | 'maskedCredentials' | 'maskedSettings' | 'tokenHash' | 'address'
>;

/** The columns that a change writes, computed once its row is locked. */
export type SecretsChange = (row: IntegrationRow) => Promise<Partial<StoredSecrets>>;

/** Seals secrets for one integration only. */
export const sealFor = (keyring: Keyring, key: IntegrationKey, secrets: object): Promise<string> =>
  keyring.seal(new Secret(JSON.stringify(secrets)), integrationBinding(key));

/** @throws Error when the value was altered or belongs to another integration. */
export async function openSealed(keyring: Keyring, row: IntegrationRow): Promise<unknown> {
  return JSON.parse((await keyring.open(row.sealedSecrets, integrationBinding(row))).reveal());
}
