import { findAccountOwners } from '@botyard/contracts/events/tenancy';
import type { ToolRequester } from '@botyard/contracts/http/integrations-tickets';
import { ask } from '@botyard/shared/bus/requests';
import type { Deps } from '../deps.ts';
import type { Requester } from './access.ts';
import { isProvenOn } from './calls/call.ts';

/**
 * The identities of requesters: as people of a platform, and as the users who have linked these accounts. @throws
 * HttpError 503 when the tenancy service doesn't answer.
 */
export async function peopleOf(
  { bus }: Pick<Deps, 'bus'>,
  requesters: readonly ToolRequester[],
): Promise<Requester[]> {
  if (requesters.length === 0) return [];
  const accounts = requesters.map(({ platform, platformUserId }) => ({ platform, platformUserId }));
  const { owners } = await ask(bus, findAccountOwners, { accounts });
  return requesters.map((requester) => ({
    isProven: isProvenOn(requester.platform, requester),
    userIds: [
      requester.userId,
      ...owners.filter((owner) => isSameAccount(owner, requester)).map(({ userId }) => userId),
    ],
  }));
}

type Account = Pick<ToolRequester, 'platform' | 'platformUserId'>;
const isSameAccount = (left: Account, right: Account): boolean =>
  left.platform === right.platform && left.platformUserId === right.platformUserId;
