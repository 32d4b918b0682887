import { withMoments } from '@botyard/contracts/http/common';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import type { usersRouter } from '@botyard/contracts/http/users';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { listChats, listQuotes, listQuotesOfUser } from '../domain/chats-across-users.ts';
import { countPeople, listPeople, placeOfPerson } from '../store/people.ts';
import { reachedBy } from './administered.ts';

export const usersHandlers: Handlers<typeof usersRouter, Deps> = {
  listUsers: ({ caller, query }, { database }) => {
    const reach = reachedBy(caller, query.tenantId);
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
    const reach = reachedBy(caller, query.tenantId);
    return withPlatform(database, 'count people', (tx) => countPeople(tx, reach));
  },

  listChatsWithPeople: async ({ caller, query }, deps) =>
    listChats(deps, reachedBy(caller, query.tenantId), query),

  listQuotes: async ({ caller, query }, deps) => listQuotes(deps, reachedBy(caller, query.tenantId), query),

  listQuotesOfUser: ({ caller, params, query }, deps) =>
    listQuotesOfUser(deps, reachedBy(caller, undefined), { ...query, userId: params.userId }),

  getUser: ({ caller, params }, { database }) =>
    withPlatform(database, 'get person', async (tx) => {
      const wanted = { userId: params.userId, limit: 1, isForOperator: caller.isOperator };
      const [person] = await listPeople(tx, reachedBy(caller, undefined), wanted);
      return withMoments(found(person, 'user'));
    }),
};
