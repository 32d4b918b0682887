import type { DataOf } from '@botyard/contracts/events/definition';
import type { registrationChanged } from '@botyard/contracts/events/webhooks';
import type { PageRequest } from '@botyard/contracts/http/page';
import { platformCapabilities, platformsThat, platformsWithout } from '@botyard/contracts/http/platform';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, count, desc, eq, inArray, isNull, lt, ne, or, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { bots, integrations } from '../../store/schema.ts';

export type IntegrationRow = typeof integrations.$inferSelect;
export type NewIntegration = Pick<
  IntegrationRow,
  | 'tenantId'
  | 'integrationId'
  | 'botId'
  | 'integrationType'
  | 'isEnabled'
  | 'maskedCredentials'
  | 'maskedSettings'
  | 'sealedSecrets'
  | 'accountId'
  | 'address'
> & { provenDomain?: string | null };

/** Identifiers of one integration, outermost first. */
export interface IntegrationKey {
  tenantId: string;
  botId: string;
  integrationId: string;
}

const stored = rowsOf(integrations, 'tenantId', 'botId', 'integrationId');
export const { get: getIntegration, lock: lockIntegration, removeReturning: deleteIntegration } = stored;

/** A bot's integration of a type, locked until the transaction ends. */
export async function lockIntegrationOfType(
  tx: TenantTx,
  { tenantId, botId, integrationType }: Pick<IntegrationRow, 'tenantId' | 'botId' | 'integrationType'>,
): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.tenantId, tenantId),
        eq(integrations.botId, botId),
        eq(integrations.integrationType, integrationType),
      ),
    )
    .for('update');
  return row;
}

/** An integration whose webhook isn't registered by this installation has nothing to wait for. */
const firstState = (type: IntegrationRow['integrationType']) =>
  platformCapabilities[type].registersWebhook ? ('pending' as const) : ('registered' as const);

/**
 * @throws HttpError 409 when the bot has one of this type, or the account serves another integration.
 */
export async function insertIntegration(tx: TenantTx, integration: NewIntegration): Promise<IntegrationRow> {
  const { integrationType: type } = integration;
  const row = { ...integration, registrationState: firstState(type) };
  const [inserted] = await translated(tx.db.insert(integrations).values(row).returning(), refusals(type));
  return inserted!;
}

export const listIntegrations = (
  tx: TenantTx,
  { tenantId, botId }: Pick<IntegrationKey, 'tenantId' | 'botId'>,
  page: PageRequest,
) => stored.list(tx, { tenantId, botId }, page);

/** All integrations of the tenant, which are bounded by the number of its bots. */
export const listIntegrationsOf = (tx: TenantTx, tenantId: string): Promise<IntegrationRow[]> =>
  tx.db.select().from(integrations).where(eq(integrations.tenantId, tenantId));

export interface IntegrationFilter {
  integrationId?: string | undefined;
  botId?: string | undefined;
  platform?: IntegrationRow['integrationType'] | undefined;
}

/** Integrations of all bots of a tenant with the bots' names, newest first, one more than the page's limit. */
export async function listIntegrationsOfTenant(
  tx: TenantTx,
  tenantId: string,
  { limit, before, integrationId, botId, platform }: PageRequest & IntegrationFilter,
): Promise<{ integration: IntegrationRow; botName: string }[]> {
  return await tx.db
    .select({ integration: integrations, botName: bots.name })
    .from(integrations)
    .innerJoin(bots, eq(bots.botId, integrations.botId))
    .where(
      and(
        eq(integrations.tenantId, tenantId),
        integrationId ? eq(integrations.integrationId, integrationId) : undefined,
        botId ? eq(integrations.botId, botId) : undefined,
        platform ? eq(integrations.integrationType, platform) : undefined,
        before ? lt(integrations.integrationId, before) : undefined,
      ),
    )
    .orderBy(desc(integrations.integrationId))
    .limit(limit + 1);
}

export async function countIntegrations(tx: TenantTx, tenantId: string) {
  const { integrationType: platform, registrationState: state, isEnabled } = integrations;
  return await tx.db
    .select({ platform, state, isEnabled, count: count() })
    .from(integrations)
    .where(eq(integrations.tenantId, tenantId))
    .groupBy(platform, state, isEnabled);
}

/**
 * Updates an integration and begins a new revision. A new address or account waits for its first delivery.
 * @throws HttpError 409 as `insertIntegration`.
 */
export async function updateIntegration(
  tx: TenantTx,
  key: IntegrationKey,
  change: Partial<NewIntegration> &
    Pick<NewIntegration, 'integrationType'> &
    Partial<
      Pick<
        IntegrationRow,
        | 'registrationError'
        | 'registrationState'
        | 'registrationCheckedAt'
        | 'tokenHash'
        | 'accountState'
        | 'accountReason'
        | 'accountChangedAt'
      >
    >,
): Promise<IntegrationRow> {
  const updating = tx.db
    .update(integrations)
    .set({
      ...change,
      ...(change.address === undefined ? {} : { firstDeliveryAt: ofSameAccount(change) }),
      revision: sql`${integrations.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(stored.matches(key))
    .returning();
  const [row] = await translated(updating, refusals(change.integrationType));
  return row!;
}

/** An account that wasn't named yet is the one that is named now. */
const ofSameAccount = ({ address = null, accountId = null }: Partial<NewIntegration>) =>
  sql`case when ${integrations.address} is not distinct from ${address}
    and coalesce(${integrations.accountId} = ${accountId}, true) then ${integrations.firstDeliveryAt} end`;

/** A tenant's mailboxes, locked until the transaction ends. */
export async function lockMailboxes(tx: TenantTx, tenantId: string): Promise<IntegrationRow[]> {
  return await tx.db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.tenantId, tenantId),
        inArray(integrations.integrationType, platformsThat('usesAddresses')),
      ),
    )
    .orderBy(integrations.integrationId)
    .for('update');
}

/** Tenants with mailboxes, always in the same order. */
export async function listTenantsWithMailboxes(
  tx: PlatformTx,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.integrations.tenants_with_mailboxes',
    text: typedSql`select distinct ${columns({ tenantId: integrations.tenantId })} from tenancy.integrations
           where integration_type = any ($3::text[]) and ($1::uuid is null or tenant_id > $1) order by 1 limit $2`,
    values: [after, limit, platformsThat('usesAddresses')],
  });
  return rows.map((row) => row.tenantId);
}

/** Removes an address from the tenants that have not proven its domain. Returns their updated integrations. */
export async function releaseAddress(
  tx: PlatformTx,
  { address, ownerTenantId, reason }: { address: string; ownerTenantId: string; reason: string },
): Promise<IntegrationRow[]> {
  return await tx.db
    .update(integrations)
    .set({
      address: null,
      provenDomain: null,
      firstDeliveryAt: null,
      tokenHash: null,
      accountId: null,
      registrationState: 'failed',
      registrationError: reason,
      revision: sql`${integrations.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(and(eq(integrations.address, address), ne(integrations.tenantId, ownerTenantId)))
    .returning();
}

/** Finds an integration by bot and type, by email address or by account; there is at most one. */
export async function findIntegration(
  tx: PlatformTx,
  wanted:
    | { botId: string; integrationType: IntegrationRow['integrationType'] }
    | { address: string }
    | { integrationType: IntegrationRow['integrationType']; accountId: string },
): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(integrations)
    .where(
      'address' in wanted
        ? eq(integrations.address, wanted.address)
        : and(
            eq(integrations.integrationType, wanted.integrationType),
            'accountId' in wanted
              ? eq(integrations.accountId, wanted.accountId)
              : eq(integrations.botId, wanted.botId),
          ),
    );
  return row;
}

/**
 * Saves the platform's report about exactly this revision, unless a newer report is stored. Where the webhook isn't
 * ours to register, the report is the first delivery; a mailbox's counts whether or not it can send.
 */
export async function saveRegistration(
  tx: TenantTx,
  change: DataOf<typeof registrationChanged>,
): Promise<void> {
  const checkedAt = new Date(change.checkedAt);
  const isMeant = and(
    eq(integrations.tenantId, change.tenantId),
    eq(integrations.integrationId, change.integrationId),
    eq(integrations.revision, change.revision),
  );
  await tx.db
    .update(integrations)
    .set({ firstDeliveryAt: checkedAt })
    .where(and(isMeant, inArray(integrations.integrationType, platformsWithout('registersWebhook'))));
  await tx.db
    .update(integrations)
    .set({
      registrationState: change.state,
      registrationError: change.lastError ?? null,
      pendingUpdates: change.pendingUpdates ?? null,
      registrationCheckedAt: checkedAt,
      registrationMode: change.mode ?? null,
    })
    .where(
      and(
        isMeant,
        inArray(integrations.integrationType, platformsThat('registersWebhook')),
        or(isNull(integrations.registrationCheckedAt), lt(integrations.registrationCheckedAt, checkedAt)),
      ),
    );
}

const inUse = (type: IntegrationRow['integrationType']) => (cause: unknown) =>
  conflict(`this ${platformCapabilities[type].credential} is already in use`, { cause });

const refusals = (type: IntegrationRow['integrationType']) => ({
  integrations_one_per_account: inUse(type),
  integrations_one_of_a_type: (cause: unknown) =>
    conflict('the bot already has an integration of this type', { cause }),
});
