import type { Binding } from '@botyard/shared/secrets/keyring';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../deps.ts';
import type { KeyRow } from '../store/keys.ts';

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

/** The binding of a sealed key (REQ-REL-16): a row that is moved, or whose provider moved, can't be opened. */
export function keyBinding(key: {
  tenantId: string;
  keyId: string;
  provider: string;
  host: string;
}): Binding {
  const { tenantId, keyId, provider, host } = key;
  return { purpose: 'provider-key', tenantId, recordId: keyId, provider, host };
}
