import type { Account } from '@botyard/shared/auth/person-id';
import type { Deps } from '../deps.ts';

/** The accounts behind these identifiers, as far as the records of platforms hold them. */
export async function findCorrespondents(
  { platforms }: Pick<Deps, 'platforms'>,
  of: { tenantId: string; personIds: readonly string[] },
): Promise<{ accounts: Account[] }> {
  const accounts = await Promise.all(
    Object.values(platforms).map(({ people }) => people?.findAccounts?.(of) ?? []),
  );
  return { accounts: accounts.flat() };
}
