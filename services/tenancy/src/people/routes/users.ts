import { withMoments } from '@botyard/contracts/http/common';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import type { usersRouter } from '@botyard/contracts/http/users';
import { administeredTenantIds, type Caller } from '@botyard/shared/auth/caller';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { forbidden } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import { listChats, listQuotes, listQuotesOfUser } from '../domain/chats-across-users.ts';
import { countPeople, listPeople, placeOfPerson, type Reach } from '../store/people.ts';
import { administeredBy } from './administered.ts';

export const usersHandlers: Handlers<typeof usersRouter, Deps> = {
  listUsers: ({ caller, query }, { database }) => {
    const reach = narrowedReach(caller, query.tenantId);
    return withPlatform(database, 'list people', async (tx) =>
      sortedPageOf(
        await listPeople(tx, reach, { ...query, isForOperator: caller.isOperator }),
        query,
        withMoments,
        placeOfPerson,
      ),
    );
  },

  getUserStats: ({ caller, query }, { database }) => {
    const reach = narrowedReach(caller, query.tenantId);
    return withPlatform(database, 'count people', (tx) => countPeople(tx, reach));
  },

  listChatsWithPeople: async ({ caller, query }, deps) =>
    listChats(deps, narrowedReach(caller, query.tenantId), query),

  listQuotes: async ({ caller, query }, deps) =>
    listQuotes(deps, narrowedReach(caller, query.tenantId), query),

  listQuotesOfUser: ({ caller, params, query }, deps) =>
    listQuotesOfUser(deps, reachOf(caller), { ...query, userId: params.userId }),

  getUser: ({ caller, params }, { database }) =>
    withPlatform(database, 'get person', async (tx) => {
      const wanted = { userId: params.userId, limit: 1, isForOperator: caller.isOperator };
      const [person] = await listPeople(tx, reachOf(caller), wanted);
      return withMoments(found(person, 'user'));
    }),
};

/** An admin sees the people of their own tenants, an operator everybody (REQ-ACCESS-5). */
const reachOf = (caller: Caller): Reach => (caller.isOperator ? 'everybody' : administeredTenantIds(caller));

function narrowedReach(caller: Caller, wanted: string | undefined): Reach {
  if (wanted === undefined) return reachOf(caller);
  if (!caller.isOperator) return administeredBy(caller, wanted);
  if (!isUuid(wanted)) throw forbidden();
  return [wanted];
}
