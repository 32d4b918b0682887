import type { DataOf } from '@botyard/contracts/events/definition';
import type { accountChanged } from '@botyard/contracts/events/webhooks';
import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, isNull, lte, ne, or, sql } from '@botyard/shared/db/drizzle';
import { integrations } from '../../store/schema.ts';
import type { IntegrationRow } from './integrations.ts';

/** Integrations whose account isn't known, in the order of their identifiers. */
export async function listUnnamed(
  tx: PlatformTx,
  { after, limit }: { after: string | null; limit: number },
): Promise<IntegrationRow[]> {
  return await tx.db
    .select()
    .from(integrations)
    .where(
      and(
        isNull(integrations.accountId),
        eq(integrations.accountState, 'active'),
        after === null ? undefined : gt(integrations.integrationId, after),
      ),
    )
    .orderBy(integrations.integrationId)
    .limit(limit);
}

/** An integration and the one that has the account, the older one first. Locked until the transaction ends. */
export async function lockSharers(
  tx: PlatformTx,
  { integrationType, integrationId, accountId }: IntegrationRow & { accountId: string },
): Promise<IntegrationRow[]> {
  return await tx.db
    .select()
    .from(integrations)
    .where(
      or(
        eq(integrations.integrationId, integrationId),
        and(eq(integrations.integrationType, integrationType), eq(integrations.accountId, accountId)),
      ),
    )
    .orderBy(integrations.integrationId)
    .for('update');
}

/** The revision stays, as nothing has to be registered again. */
export async function nameAccount(
  tx: PlatformTx,
  { integrationId }: IntegrationRow,
  accountId: string,
): Promise<IntegrationRow> {
  const [row] = await tx.db
    .update(integrations)
    .set({ accountId })
    .where(eq(integrations.integrationId, integrationId))
    .returning();
  return row!;
}

/** Ends the use of an integration, which keeps its settings, for a reason that is shown with it. */
export async function detachIntegration(
  tx: AnyTx,
  { integrationId }: Pick<IntegrationRow, 'integrationId'>,
  { reason, ...change }: { reason: string; sealedSecrets?: string },
): Promise<IntegrationRow> {
  const [row] = await tx.db
    .update(integrations)
    .set({
      accountId: null,
      accountState: 'removed',
      accountReason: reason,
      ...change,
      revision: sql`${integrations.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(eq(integrations.integrationId, integrationId))
    .returning();
  return row!;
}

/**
 * Saves a platform's news of an account, unless newer ones are stored or the integration has no account any more.
 * Returns the integration if that changed it.
 */
export async function saveAccountState(
  tx: TenantTx,
  { tenantId, integrationId, state, reason, happenedAt }: DataOf<typeof accountChanged>,
): Promise<IntegrationRow | undefined> {
  const changedAt = new Date(happenedAt);
  const [row] = await tx.db
    .update(integrations)
    .set({
      accountState: state,
      accountReason: state === 'active' ? null : reason,
      accountChangedAt: changedAt,
    })
    .where(
      and(
        eq(integrations.tenantId, tenantId),
        eq(integrations.integrationId, integrationId),
        ne(integrations.accountState, 'removed'),
        or(isNull(integrations.accountChangedAt), lte(integrations.accountChangedAt, changedAt)),
      ),
    )
    .returning();
  return row;
}
