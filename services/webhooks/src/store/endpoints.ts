import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, sql } from '@botyard/shared/db/drizzle';
import type { IntegrationState } from '@botyard/shared/events/tenancy';
import { endpoints } from './schema.ts';

export type EndpointRow = typeof endpoints.$inferSelect;

/**
 * Keeps an integration as it was announced, unless something newer is known; the registration is then due.
 * The secrets before stay at hand until the new ones are registered. Returns whether anything changed.
 */
export async function saveEndpoint(tx: AnyTx, state: IntegrationState): Promise<boolean> {
  const rows = await tx.query({
    name: 'webhooks.endpoints.put',
    text: `insert into webhooks.endpoints as e (tenant_id, integration_id, bot_id, integration_type, is_enabled,
             sealed_secrets, revision, registration_due_at)
           values ($1, $2, $3, $4, $5, $6, $7, now())
           on conflict (tenant_id, integration_id) do update set
             is_enabled = excluded.is_enabled, sealed_secrets = excluded.sealed_secrets, revision = excluded.revision,
             previous_sealed_secrets = coalesce(e.previous_sealed_secrets, e.sealed_secrets),
             registration_attempts = 0, registration_due_at = now()
           where e.revision < excluded.revision and e.deleted_at is null
           returning e.integration_id`,
    values: [
      state.tenantId,
      state.integrationId,
      state.botId,
      state.integrationType,
      state.isEnabled,
      state.sealedSecrets,
      state.revision,
    ],
  });
  return rows.length > 0;
}

/** Marks an integration deleted; a tombstone when it was never heard of. Its webhook is then due to be removed. */
export async function deleteEndpoint(
  tx: TenantTx,
  deleted: { tenantId: string; integrationId: string; botId: string; revision: number },
): Promise<void> {
  await tx.query({
    name: 'webhooks.endpoints.delete',
    text: `insert into webhooks.endpoints as e (tenant_id, integration_id, bot_id, integration_type, is_enabled,
             revision, deleted_at)
           values ($1, $2, $3, 'messenger', false, $4, now())
           on conflict (tenant_id, integration_id) do update set
             deleted_at = now(), is_enabled = false, revision = excluded.revision, registration_attempts = 0,
             registration_due_at = case when e.sealed_secrets is null then null else now() end`,
    values: [deleted.tenantId, deleted.integrationId, deleted.botId, deleted.revision],
  });
}

/** The live endpoint of a bot. Across tenants, since a delivery names only the bot. */
export async function findEndpoint(tx: PlatformTx, botId: string): Promise<EndpointRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(endpoints)
    .where(
      and(
        eq(endpoints.botId, botId),
        eq(endpoints.integrationType, 'messenger'),
        isNull(endpoints.deletedAt),
      ),
    );
  return row;
}

const leaseSeconds = 30;

/** Takes endpoints whose registration is due, for 30 s. */
export async function claimRegistrations(tx: PlatformTx, limit: number): Promise<EndpointRow[]> {
  return await tx.db
    .update(endpoints)
    .set({
      registrationDueAt: sql`now() + make_interval(secs => ${leaseSeconds})`,
      registrationAttempts: sql`${endpoints.registrationAttempts} + 1`,
    })
    .where(
      sql`${endpoints.integrationId} in (select integration_id from webhooks.endpoints
          where registration_due_at <= now() order by registration_due_at limit ${limit} for update skip locked)`,
    )
    .returning();
}

/** Ends a registration of this revision; a newer one that came meanwhile stays due. Returns whether it was still this one. */
export async function settleRegistration(
  tx: TenantTx,
  endpoint: Pick<EndpointRow, 'tenantId' | 'integrationId' | 'revision'>,
  outcome: { fingerprint: string } | { retryInMs: number | null },
): Promise<boolean> {
  const change =
    'fingerprint' in outcome
      ? { registeredFingerprint: outcome.fingerprint, previousSealedSecrets: null, registrationDueAt: null }
      : {
          registrationDueAt:
            outcome.retryInMs === null
              ? null
              : sql`now() + make_interval(secs => ${outcome.retryInMs / 1000})`,
        };
  const rows = await tx.db
    .update(endpoints)
    .set(change)
    .where(isRevision(endpoint))
    .returning({ id: endpoints.botId });
  return rows.length > 0;
}

/** The webhook is gone from the platform: nothing secret of a deleted integration is kept. */
export async function forgetSecrets(
  tx: TenantTx,
  endpoint: Pick<EndpointRow, 'tenantId' | 'integrationId' | 'revision'>,
): Promise<void> {
  await tx.db
    .update(endpoints)
    .set({
      sealedSecrets: null,
      previousSealedSecrets: null,
      registrationDueAt: null,
      registeredFingerprint: null,
    })
    .where(isRevision(endpoint));
}

const isRevision = (endpoint: Pick<EndpointRow, 'tenantId' | 'integrationId' | 'revision'>) =>
  and(
    eq(endpoints.tenantId, endpoint.tenantId),
    eq(endpoints.integrationId, endpoint.integrationId),
    eq(endpoints.revision, endpoint.revision),
  );
