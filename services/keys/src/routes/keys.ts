import type { Key, keysRouter } from '@botyard/contracts/http/keys';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { withPlatformKey } from '../domain/platform-key.ts';
import { deleteProviderKey, invalidateProviderKey, storeProviderKey } from '../domain/provider-keys.ts';
import { resolveProviderKey } from '../domain/resolve-provider-key.ts';
import { validationOf } from '../domain/validation.ts';
import { type KeyRow, listKeys } from '../store/keys.ts';

export const keysHandlers: Handlers<typeof keysRouter, Deps> = {
  listKeys: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      sortedPageOf(await listKeys(tx, tenantId, query), query, toKey, placeOf),
    ),

  createKey: async ({ tenantId, body }, deps) => toKey(await storeProviderKey(deps, tenantId, body)),

  validateKey: ({ tenantId, params }, { validator }) => validator.validate({ tenantId, keyId: params.keyId }),

  invalidateKey: async ({ tenantId, params }, deps) =>
    toKey(await invalidateProviderKey(deps, tenantId, params.keyId)),

  deleteKey: ({ tenantId, params }, deps) => deleteProviderKey(deps, tenantId, params.keyId),

  resolveKey: async ({ tenantId, params, query }, deps) => {
    const provider = params.provider as Key['provider'];
    const { resolution } = await resolveProviderKey(deps, { tenantId, provider, ...query });
    return await withPlatformKey(deps, { tenantId, provider }, resolution);
  },
};

const placeOf = ({ keyId, updatedAt, provider }: KeyRow, field: string) => ({
  id: keyId,
  ...(field === 'updatedAt' ? { value: updatedAt } : field === 'provider' ? { value: provider } : {}),
});

const toKey = (row: KeyRow): Key => ({
  keyId: row.keyId,
  tenantId: row.tenantId,
  provider: row.provider,
  maskedKey: row.maskedKey,
  keyType: row.keyType,
  scopeType: row.scopeType,
  scopeId: row.scopeId,
  status: row.status,
  statusReason: row.invalidatedBy,
  invalidatedAt: row.invalidatedAt?.toISOString() ?? null,
  coolUntil: row.coolUntil?.toISOString() ?? null,
  validation: validationOf(row),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
