import { accessChanged } from '@botyard/contracts/events/tenancy';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { forbidden, notFound } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { v7 as uuidv7 } from 'uuid';
import { requireRoomForTenant } from '../../limits/domain/limits.ts';
import { findOrMeetUser } from '../../people/domain/members.ts';
import { saveVisits } from '../../people/store/memberships.ts';
import { holdLivingUser } from '../../people/store/users.ts';
import { insertTenant, saveSelection, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';

/**
 * Creates a tenant together with its first admin: the named person, else the caller.
 * @throws HttpError 404 when neither this installation nor the identity provider knows the named person, 409 when the
 * caller has reached their limit of tenants; then nothing is stored.
 */
export async function createTenant(
  deps: Deps,
  caller: Caller,
  wanted: { name: string; initialAdminIdpUserId?: string | undefined },
): Promise<TenantRow> {
  const admin = found(await findOrMeetUser(deps, wanted.initialAdminIdpUserId ?? caller.idpUserId), 'user');
  const tenantId = uuidv7();
  // Across tenants, because the tenants that the caller has created before are counted.
  return await withPlatform(deps.database, 'create tenant', async (tx) => {
    await requireRoomForTenant(deps, tx, caller);
    const { userId } = admin;
    // The identity provider may have deleted them since: a deleted person is no admin.
    if (!(await holdLivingUser(tx, userId))) throw notFound('user');
    const visitedAt = userId === caller.userId ? new Date() : null;
    const row = { tenantId, name: wanted.name, createdBy: caller.userId };
    const tenant = await insertTenant(tx, row, { userId, visitedAt });
    await deps.outbox.emit(tx, accessChanged, { idpUserId: admin.idpUserId, tenantId });
    await failpoint('tenancy.tenants.before-create-commit');
    return tenant;
  });
}

/**
 * Makes a tenant the active one of the caller's session (REQ-ACCESS-2). An operator may choose the platform itself, to
 * act for its bots.
 * @throws HttpError 403 for a tenant that the caller can't reach, whether it exists or not.
 */
export async function selectTenant(deps: Deps, caller: Caller, tenantId: string): Promise<void> {
  const isReachable =
    caller.roles.has(tenantId) ||
    (caller.isOperator && (tenantId === platformTenantId || (await deps.callers.tenantExists(tenantId))));
  if (!isReachable) throw forbidden();
  // Across tenants, because the selection that this one replaces may be of any other tenant.
  await withPlatform(deps.database, 'select tenant', async (tx) => {
    await saveSelection(tx, { sessionId: caller.sessionId, userId: caller.userId, tenantId });
    await saveVisits(tx, { userId: caller.userId, tenantIds: [tenantId] });
    await deps.outbox.emit(tx, accessChanged, { idpUserId: caller.idpUserId, tenantId });
  });
}
