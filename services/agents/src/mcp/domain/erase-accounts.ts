import type { Account } from '@botyard/shared/auth/person-id';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { removeGrantsOfPeople } from '../store/server-grants.ts';
import { removeLinksOfPeople } from '../store/server-links.ts';
import { revokeGrants, unconfirmedIn } from './grants.ts';

/** People to erase, by their identifiers and by their accounts at platforms. */
export interface ErasedPeople {
  tenantId: string;
  personIds: readonly string[];
  accounts: readonly Account[];
}

/** Removes the accounts that people have connected, and revokes their tokens. Returns how many rows were removed. */
export async function eraseOwnAccounts(
  deps: Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>,
  people: ErasedPeople,
): Promise<{ grants: number; links: number }> {
  const { links, grants } = await withTenant(deps.database, [people.tenantId], async (tx) => ({
    // First, because a link that is being confirmed becomes a grant.
    links: await removeLinksOfPeople(tx, people),
    grants: await removeGrantsOfPeople(tx, people),
  }));
  void revokeGrants(deps, [...grants, ...unconfirmedIn(links)]);
  return { grants: grants.length, links: links.length };
}
