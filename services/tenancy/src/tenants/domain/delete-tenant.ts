import {
  accessChanged,
  authorizationChanged,
  botDeleted,
  integrationDeleted,
  tenantDeleted,
} from '@botyard/contracts/events/tenancy';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Deps } from '../deps.ts';
import { deleteTenantRows } from '../store/tenant-removal.ts';

/**
 * Deletes a tenant with everything that belongs to it: immediately in this service, and by events elsewhere. @throws
 * HttpError 404.
 */
export async function deleteTenant(deps: Deps, tenantId: string): Promise<void> {
  await withPlatform(deps.database, 'delete tenant', async (tx) => {
    if (!(await removeTenant(deps, tx, tenantId))) throw notFound('tenant');
    await failpoint('tenancy.tenants.before-delete-commit');
  });
}

/**
 * Deletes a tenant in the caller's transaction and announces it: first its integrations and bots, so that webhooks are
 * removed from the platforms and cached access ends, then the tenant itself. Returns `false` for an unknown one, and
 * for the platform's own.
 */
async function removeTenant(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: PlatformTx,
  tenantId: string,
): Promise<boolean> {
  const removed = await deleteTenantRows(tx, tenantId);
  if (!removed) return false;
  await outbox.emit(
    tx,
    integrationDeleted,
    ...removed.integrations.map((row) => ({ ...row, tenantId, revision: row.revision + 1 })),
  );
  await outbox.emit(tx, botDeleted, ...removed.botIds.map((botId) => ({ tenantId, botId })));
  await outbox.emit(tx, accessChanged, ...removed.idpUserIds.map((idpUserId) => ({ idpUserId, tenantId })));
  // For people who reached it by groups or single bots.
  await outbox.emit(tx, authorizationChanged, { tenantId });
  await outbox.emit(tx, tenantDeleted, { tenantId });
  return true;
}
