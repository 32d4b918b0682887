import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { accessChanged } from '@botyard/shared/events/tenancy';
import { forbidden, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { insertTenant, saveSelection, type TenantRow } from '../store/tenants.ts';
import { getUserByIdpId, insertUser, type UserRow } from '../store/users.ts';

/**
 * Creates a tenant together with its first admin: the named person, else the caller.
 * @throws HttpError 404 when the named person is unknown here and at the identity provider; nothing is stored then.
 */
export async function createTenant(
  deps: Deps,
  caller: Caller,
  wanted: { name: string; initialAdminIdpUserId?: string | undefined },
): Promise<TenantRow> {
  const admin = await findUser(deps, wanted.initialAdminIdpUserId ?? caller.idpUserId);
  if (!admin) throw notFound('user');
  const tenantId = uuidv7();
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const tenant = await insertTenant(tx, { tenantId, name: wanted.name }, admin.userId);
    await deps.outbox.emit(tx, accessChanged, { idpUserId: admin.idpUserId, tenantId });
    return tenant;
  });
}

/** A person who is known, or becomes known because the identity provider knows them. */
async function findUser(deps: Deps, idpUserId: string): Promise<UserRow | undefined> {
  const read = () => withPlatform(deps.database, 'find user', (tx) => getUserByIdpId(tx, idpUserId));
  const known = await read();
  if (known) return known;
  const found = await deps.idp.findUser(idpUserId);
  if (!found) return undefined;
  await withPlatform(deps.database, 'first sight of a user', (tx) => insertUser(tx, found));
  return await read();
}

/**
 * Makes a tenant the active one of the caller's session (decisions 4).
 * @throws HttpError 403 for a tenant that the caller can't reach, the same whether it exists or not.
 */
export async function selectTenant(deps: Deps, caller: Caller, tenantId: string): Promise<void> {
  const isReachable =
    caller.roles.has(tenantId) || (caller.isOperator && (await deps.callers.tenantExists(tenantId)));
  if (!isReachable) throw forbidden();
  // Across tenants: the selection that this one replaces may be of any other tenant.
  await withPlatform(deps.database, 'select tenant', async (tx) => {
    await saveSelection(tx, { sessionId: caller.sessionId, userId: caller.userId, tenantId });
    await deps.outbox.emit(tx, accessChanged, { idpUserId: caller.idpUserId, tenantId });
  });
}
