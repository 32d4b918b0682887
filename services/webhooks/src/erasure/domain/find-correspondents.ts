import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { pagesOfAddresses } from '../store/addresses.ts';

/**
 * The addresses behind these identifiers, each once. Senders who wait for admission are known only here, so all
 * addresses are examined; it is only called after a restore.
 */
export async function findCorrespondents(
  { database }: Pick<Deps, 'database'>,
  { tenantId, personIds }: { tenantId: string; personIds: readonly string[] },
): Promise<{ accounts: Account[] }> {
  const found = new Map<string, Account>();
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [tenantId], work);
  for await (const addresses of pagesOfAddresses(inTenant, tenantId)) {
    const accounts = [...new Set(addresses)].map((platformUserId) => ({
      platform: 'email' as const,
      platformUserId,
    }));
    for (const account of accountsBehind(tenantId, personIds, accounts))
      found.set(account.platformUserId, account);
    if (found.size >= personIds.length) break;
  }
  return { accounts: [...found.values()] };
}
