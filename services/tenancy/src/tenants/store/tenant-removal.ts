import type { PlatformTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { pick } from '@botyard/shared/db/typed-sql';
import { mailDomains } from '../../store/mail-domains-schema.ts';
import { bots, integrations, memberships, tenants, users } from '../../store/schema.ts';

/** The removed parts that have to be announced to other services. */
interface RemovedTenant {
  integrations: { integrationId: string; botId: string; revision: number }[];
  botIds: string[];
  idpUserIds: string[];
}

/**
 * Deletes a tenant with all its rows. Returns `undefined` for an unknown one. Its row is locked first, so that
 * concurrent writers either finish before or find no tenant to refer to. Across tenants, since people belong to none.
 */
export async function deleteTenantRows(tx: PlatformTx, tenantId: string): Promise<RemovedTenant | undefined> {
  const [tenant] = await tx.db
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(and(eq(tenants.tenantId, tenantId), eq(tenants.isPlatform, false)))
    .for('update');
  if (!tenant) return undefined;
  // Bots, then mail domains, then integrations: other changes lock them in the same order, so that no deadlock occurs.
  await tx.db.select({ botId: bots.botId }).from(bots).where(eq(bots.tenantId, tenantId)).for('update');
  await tx.db
    .select({ domain: mailDomains.domain })
    .from(mailDomains)
    .where(eq(mailDomains.tenantId, tenantId))
    .for('update');
  const removedIntegrations = await tx.db
    .delete(integrations)
    .where(eq(integrations.tenantId, tenantId))
    .returning(pick(integrations, 'integrationId', 'botId', 'revision'));
  const removedBots = await tx.db
    .delete(bots)
    .where(eq(bots.tenantId, tenantId))
    .returning({ botId: bots.botId });
  const people = await tx.db
    .select({ idpUserId: users.idpUserId })
    .from(memberships)
    .innerJoin(users, eq(users.userId, memberships.userId))
    .where(eq(memberships.tenantId, tenantId));
  await tx.db.delete(tenants).where(eq(tenants.tenantId, tenantId));
  return {
    integrations: removedIntegrations,
    botIds: removedBots.map(({ botId }) => botId),
    idpUserIds: people.map(({ idpUserId }) => idpUserId),
  };
}
