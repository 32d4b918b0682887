import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { listKeysOf } from '../store/keys.ts';
import { openKey } from './open-key.ts';

/** Whether a text contains a key of the tenant, in any state, or one of the platform's. */
export async function isKeyIn(
  deps: Deps,
  { tenantId, text }: { tenantId: string; text: string },
): Promise<boolean> {
  const platformKeys = Object.values(deps.providers).map(({ platform }) => platform?.apiKey);
  if (platformKeys.some((key) => key && text.includes(key.reveal()))) return true;
  const stored = await withTenant(deps.database, [tenantId], (tx) => listKeysOf(tx, tenantId));
  for (const row of stored) {
    const key = await openKey(deps, row);
    if (key && text.includes(key.reveal())) return true;
  }
  return false;
}
