import type { PlatformName } from '@botyard/contracts/http/platform';
import { v5 as uuidv5 } from 'uuid';

const personNamespace = '2f6f3e0a-8d1b-4c57-9f5e-6a1f0c8b7d24';

/** A person's account, as the platform names it. */
export interface Account {
  platform: PlatformName;
  platformUserId: string;
}

/** The identifier of an account's person within a tenant. It never changes, and differs in every other tenant. */
export const personIdOfAccount = (tenantId: string, { platform, platformUserId }: Account): string =>
  uuidv5(`${tenantId}/${platform}/${platformUserId}`, personNamespace);

/** The identifier of a user who acts in a tenant as one of its people, not through an account at a platform. */
export const personIdOfUser = (tenantId: string, userId: string): string =>
  uuidv5(`${tenantId}/user/${userId}`, personNamespace);

/** The accounts that these identifiers stand for. An identifier alone doesn't reveal its account. */
export const accountsBehind = (
  tenantId: string,
  personIds: readonly string[],
  accounts: readonly Account[],
): Account[] => accounts.filter((account) => personIds.includes(personIdOfAccount(tenantId, account)));
