import type { Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../deps.ts';
import type { KeyRow } from '../store/keys.ts';
import { keyBinding } from './key-binding.ts';

/** `undefined` for a row that was altered or moved, or whose sealing key is gone: it is never used. */
export async function openKey(
  { keyring, log }: Pick<Deps, 'keyring' | 'log'>,
  key: Pick<KeyRow, 'tenantId' | 'keyId' | 'provider' | 'host' | 'sealedKey'>,
): Promise<Secret | undefined> {
  try {
    return await keyring.open(key.sealedKey, keyBinding(key));
  } catch (error) {
    log.error({ err: error, keyId: key.keyId }, 'a stored key can not be opened');
    return undefined;
  }
}
