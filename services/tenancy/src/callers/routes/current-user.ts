import type { currentUserRouter } from '@botyard/contracts/http/current-user';
import { pageOf } from '@botyard/contracts/http/page';
import { identityOf } from '@botyard/shared/auth/caller';
import { withTenant } from '@botyard/shared/db/database';
import { unauthorized } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { syncPerson } from '../../identity/domain/sync-person.ts';
import { listTenants, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { toCurrentUser } from '../domain/current-user.ts';

export const currentUserHandlers: Handlers<typeof currentUserRouter, Deps> = {
  getCurrentUser: async ({ caller }) => toCurrentUser(caller),

  syncCurrentUser: async ({ caller }, deps) => {
    await syncPerson(deps, caller.idpUserId);
    const { caller: synced } = await deps.callers.resolve(identityOf(caller), { fresh: true });
    if (!synced) throw unauthorized();
    return toCurrentUser(synced);
  },

  listenToCurrentUser: async ({ caller }, { accessStreams }) => accessStreams.listen(caller),

  listReachedTenants: async ({ caller: { roles }, query }, { database }) => {
    if (roles.size === 0) return { items: [] };
    return await withTenant(database, [...roles.keys()], async (tx) => {
      const toReached = ({ tenantId, name }: TenantRow) => ({ tenantId, name, role: roles.get(tenantId)! });
      return pageOf(await listTenants(tx, query), query, toReached, ({ tenantId }) => tenantId);
    });
  },
};
