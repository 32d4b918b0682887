import { createHmac, randomBytes } from 'node:crypto';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { getOrInsertLookupKey } from '../store/lookup-keys.ts';

/** A keyed hash: only this installation can make it. */
export type HashToken = (token: Secret) => Promise<string>;

const purpose = 'bot-token';

/** The sealing context of the key for keyed hashes. */
export const lookupKeyBinding = (recordId: string): Binding => ({
  purpose: 'lookup-key',
  tenantId: 'platform',
  recordId,
});

/** The key is created at first use, sealed, and shared by all instances. */
export function createTokenHash(database: Database, keyring: Keyring): HashToken {
  let key: Promise<Secret> | undefined;
  const binding = lookupKeyBinding(purpose);
  const load = async () => {
    const fresh = await keyring.seal(new Secret(randomBytes(32).toString('base64url')), binding);
    const kept = await withPlatform(database, 'lookup key', (tx) => getOrInsertLookupKey(tx, purpose, fresh));
    return await keyring.open(kept, binding);
  };
  return async (token) => {
    key ??= load();
    const loaded = await key.catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    return createHmac('sha256', loaded.reveal()).update(token.reveal()).digest('base64url');
  };
}
