import type { Binding } from '@botyard/shared/secrets/keyring';

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
