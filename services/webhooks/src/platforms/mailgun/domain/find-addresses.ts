import type { PlatformName } from '@botyard/contracts/http/platform';
import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { pagesOfAddresses } from '../store/addresses.ts';

const platform: PlatformName = 'email';

/**
 * The addresses behind these identifiers, each once. Senders who wait for admission are known only here, so all
 * addresses are examined; it is only called after a restore.
 */
export async function findAddresses(
  { database }: Pick<Deps, 'database'>,
  { tenantId, personIds }: { tenantId: string; personIds: readonly string[] },
): Promise<Account[]> {
  const behind = new Map<string, Account>();
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [tenantId], work);
  for await (const addresses of pagesOfAddresses(inTenant, tenantId)) {
    const accounts = [...new Set(addresses)].map((platformUserId) => ({ platform, platformUserId }));
    for (const account of accountsBehind(tenantId, personIds, accounts))
      behind.set(account.platformUserId, account);
    if (behind.size >= personIds.length) break;
  }
  return [...behind.values()];
}
