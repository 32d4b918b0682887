import type { IntegrationState } from '@botyard/contracts/events/tenancy';
import { platformDefinitions, platformsThat } from '@botyard/contracts/http/platform';
import { platformNames, unnamedPlatform } from '@botyard/contracts/platform-names';
import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns, isNull, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { endpoints } from '../../store/schema.ts';

/** The platforms at which the service registers its address, as a list in SQL. */
export const registeredPlatforms = platformsThat('registersWebhook')
  .map((name) => `'${name}'`)
  .join(', ');

/** The platforms whose installations may have secrets that expire, as a list in SQL. */
const installedPlatforms = platformNames
  .filter((name) => platformDefinitions[name].installs)
  .map((name) => `'${name}'`)
  .join(', ');

export type EndpointRow = typeof endpoints.$inferSelect;
const stored = rowsOf(endpoints, 'tenantId', 'integrationId');
const isLive = isNull(endpoints.deletedAt);

/**
 * Saves an announced integration, unless a newer revision is known. A messenger's registration is then due. Its former
 * secrets stay available until the new ones are registered. Nothing is saved for a deleted tenant. Returns `undefined`
 * when nothing changed.
 */
export async function saveEndpoint(
  tx: AnyTx,
  {
    tenantId,
    integrationId,
    botId,
    integrationType,
    isEnabled,
    sealedSecrets,
    revision,
    ...more
  }: IntegrationState,
): Promise<{ firstDeliveryAt: Date | null } | undefined> {
  return await tx.first({
    name: 'webhooks.endpoints.put',
    text: typedSql`insert into webhooks.endpoints as e (tenant_id, integration_id, bot_id, integration_type, is_enabled,
             sealed_secrets, revision, address, proven_domain, account_id, registration_due_at, renewal_due_at)
           select $tenantId, $integrationId, $botId, $integrationType, $isEnabled, $sealedSecrets, $revision, $address, $provenDomain,
             $accountId, case when $integrationType in (${registeredPlatforms}) and $sealedSecrets::text is not null then now() end,
             case when $integrationType in (${installedPlatforms}) and $sealedSecrets::text is not null then now() end
           where not exists (select from webhooks.deleted_tenants where tenant_id = $tenantId)
           on conflict (tenant_id, integration_id) do update set
             is_enabled = excluded.is_enabled, sealed_secrets = excluded.sealed_secrets, revision = excluded.revision,
             first_delivery_at = case when e.address is not distinct from excluded.address
               and coalesce(e.account_id = excluded.account_id, true) then e.first_delivery_at end,
             address = excluded.address, proven_domain = excluded.proven_domain, account_id = excluded.account_id,
             registration_attempts = 0, registration_due_at = excluded.registration_due_at,
             renewal_due_at = excluded.renewal_due_at,
             renewed_secrets = case when excluded.sealed_secrets is not null then e.renewed_secrets end,
             previous_sealed_secrets = case when e.integration_type in (${registeredPlatforms})
               then coalesce(e.previous_sealed_secrets, e.sealed_secrets) end
           where e.revision < excluded.revision and e.deleted_at is null
           returning ${columns({ firstDeliveryAt: alias(endpoints, 'e').firstDeliveryAt })}`,
    values: {
      tenantId,
      integrationId,
      botId,
      integrationType,
      isEnabled,
      sealedSecrets: more.isWithoutAccount ? null : sealedSecrets,
      revision,
      accountId: more.accountId ?? null,
      address: more.address ?? null,
      provenDomain: more.provenDomain ?? null,
    },
  });
}

/** Stores the account of an integration's current revision, which was announced before its account was known. */
export async function nameAccount(tx: TenantTx, integration: IntegrationState): Promise<void> {
  const isUnnamed = and(eq(endpoints.revision, integration.revision), isNull(endpoints.accountId), isLive);
  await tx.db
    .update(endpoints)
    .set({ accountId: integration.accountId ?? null })
    .where(and(stored.matches(integration), isUnnamed));
}

/** Marks an integration's first delivery, at its address if it has one; returns its revision if this is the first. */
export async function markFirstDelivery(
  tx: TenantTx,
  receiving: { tenantId: string; integrationId: string; address?: string },
): Promise<number | undefined> {
  const { address } = receiving;
  const isAtAddress = address === undefined ? undefined : eq(endpoints.address, address);
  const [row] = await tx.db
    .update(endpoints)
    .set({ firstDeliveryAt: sql`now()` })
    .where(and(stored.matches(receiving), isAtAddress, isNull(endpoints.firstDeliveryAt), isLive))
    .returning({ revision: endpoints.revision });
  return row?.revision;
}

/**
 * The row after a deletion: a messenger's secrets are kept until its webhook is removed from the platform, a mailbox's
 * aren't.
 */
const deletion = `deleted_at = now(), is_enabled = false, registration_attempts = 0,
  renewal_due_at = null, renewed_secrets = null,
  sealed_secrets = case when e.integration_type in (${registeredPlatforms}) then e.sealed_secrets end,
  registration_due_at = case when e.integration_type in (${registeredPlatforms}) and e.sealed_secrets is not null then now() end`;

/** Marks an integration as deleted. For an unknown one, adds a tombstone. Its webhook is then due for removal. */
export const deleteEndpoint = preparedStatement({
  name: 'webhooks.endpoints.delete',
  text: `insert into webhooks.endpoints as e (tenant_id, integration_id, bot_id, integration_type, is_enabled,
           revision, deleted_at)
         values ($1, $2, $3, $5, false, $4, now())
         on conflict (tenant_id, integration_id) do update set
           revision = excluded.revision, ${deletion}`,
  values: (deleted: { tenantId: string; integrationId: string; botId: string; revision: number }) => [
    deleted.tenantId,
    deleted.integrationId,
    deleted.botId,
    deleted.revision,
    unnamedPlatform,
  ],
});

/** The same as `deleteEndpoint`, for all of a tenant's live ones. Returns their bots. */
export const deleteEndpointsOfTenant = preparedStatement({
  name: 'webhooks.endpoints.delete_all',
  text: typedSql`update webhooks.endpoints e set ${deletion}
         where tenant_id = $1 and deleted_at is null returning ${columns({ botId: endpoints.botId })}`,
  values: (tenantId: string) => [tenantId],
  result: (rows) => rows.map((row) => row.botId),
});

/** The live endpoint of a bot and a type, or of an address. Across tenants: a delivery names only one of these. */
export const findEndpoint = (
  tx: PlatformTx,
  wanted: Pick<EndpointRow, 'botId' | 'integrationType'> | { address: string },
): Promise<EndpointRow | undefined> => stored.first(tx, wanted, isLive);

/** The lease is longer than all calls to the platform for one integration take. Registrations and checks share it. */
export const endpointLease = {
  table: 'webhooks.endpoints',
  key: ['tenantId', 'integrationId'],
  columns: columns(getTableColumns(alias(endpoints, 'q'))),
  leaseUntil: 'registration_lease_until',
  leaseSeconds: 30,
} satisfies Partial<QueueTable<EndpointRow>>;

export const registrationQueue: QueueTable<EndpointRow> = {
  ...endpointLease,
  isOfQueue: `q.integration_type in (${registeredPlatforms})`,
  readyAt: 'q.registration_due_at',
  set: 'registration_attempts = q.registration_attempts + 1',
};

/**
 * Ends a registration and releases the lease. Changes since then stay due. Until they are done, the secrets that the
 * platform has count as the former ones. Returns whether this was still the newest.
 */
export async function settleRegistration(
  tx: TenantTx,
  endpoint: EndpointRow,
  outcome: { fingerprint: string } | { retryInMs: number | null },
): Promise<boolean> {
  const [row] = await tx.db.select().from(endpoints).where(isHeld(endpoint)).for('update');
  if (!row) return false;
  const isNewest =
    row.revision === endpoint.revision &&
    row.registrationDueAt?.getTime() === endpoint.registrationDueAt?.getTime();
  await tx.db
    .update(endpoints)
    .set({
      registrationLeaseUntil: null,
      ...('fingerprint' in outcome ? registered(endpoint, row, isNewest ? outcome.fingerprint : null) : {}),
      ...(isNewest ? { registrationDueAt: 'retryInMs' in outcome ? after(outcome.retryInMs) : null } : {}),
    })
    .where(isHeld(endpoint));
  return isNewest;
}

/** The secrets that the platform now has, which may already be outdated. */
const registered = (told: EndpointRow, row: EndpointRow, fingerprint: string | null) => ({
  registeredFingerprint: fingerprint,
  previousSealedSecrets: row.revision === told.revision ? null : told.sealedSecrets,
});

const after = (ms: number | null) => (ms === null ? null : sql`now() + make_interval(secs => ${ms / 1000})`);

/**
 * The webhook is removed from the platform, so a deleted integration keeps no secrets. The bot's live integrations are
 * registered again, since the removal may have come after their registration.
 */
export async function forgetSecrets(tx: TenantTx, endpoint: EndpointRow): Promise<void> {
  await tx.db
    .update(endpoints)
    .set({
      sealedSecrets: null,
      previousSealedSecrets: null,
      registrationDueAt: null,
      registrationLeaseUntil: null,
      registeredFingerprint: null,
    })
    .where(isHeld(endpoint));
  await tx.db
    .update(endpoints)
    .set({ registeredFingerprint: null, registrationDueAt: sql`now()`, registrationAttempts: 0 })
    .where(and(eq(endpoints.tenantId, endpoint.tenantId), eq(endpoints.botId, endpoint.botId), isLive));
}

/** The lease is also the fence: a worker that lost it writes nothing. */
export const isHeld = (endpoint: EndpointRow) =>
  and(
    stored.matches(endpoint),
    endpoint.registrationLeaseUntil
      ? eq(endpoints.registrationLeaseUntil, endpoint.registrationLeaseUntil)
      : isNull(endpoints.registrationLeaseUntil),
  );

/**
 * The bot whose integration has this account, across tenants: a delivery for an app names accounts only. Two may have
 * it while it moves from one to the other; the newer one gets the delivery.
 */
export async function findBotOfAccount(
  tx: PlatformTx,
  account: Pick<EndpointRow, 'integrationType'> & { accountId: string },
): Promise<string | undefined> {
  return (await stored.first(tx, account, isLive))?.botId;
}
