import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, count, desc, eq, isNull, lt, or, sql } from '@botyard/shared/db/drizzle';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { conflict } from '@botyard/shared/http/errors';
import type { PageRequest } from '@botyard/shared/http/page';
import { bots, integrations } from './schema.ts';

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
  | 'tokenHash'
  | 'address'
>;

/** What names one integration, from the outside in. */
export interface IntegrationKey {
  tenantId: string;
  botId: string;
  integrationId: string;
}

const matches = (key: IntegrationKey) =>
  and(
    eq(integrations.tenantId, key.tenantId),
    eq(integrations.botId, key.botId),
    eq(integrations.integrationId, key.integrationId),
  );

/**
 * The messenger is to be told of it; a mailer is told by its owner, so there is nothing to wait for.
 * @throws HttpError 409 when the bot has one of this type, or the token or address serves another integration.
 */
export async function insertIntegration(tx: TenantTx, integration: NewIntegration): Promise<IntegrationRow> {
  const { integrationType: type } = integration;
  const registrationState = type === 'email' ? 'registered' : 'pending';
  const [row] = await translated(type, () =>
    tx.db
      .insert(integrations)
      .values({ ...integration, registrationState })
      .returning(),
  );
  return row!;
}

export async function getIntegration(tx: TenantTx, key: IntegrationKey): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db.select().from(integrations).where(matches(key));
  return row;
}

export async function lockIntegration(
  tx: TenantTx,
  key: IntegrationKey,
): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db.select().from(integrations).where(matches(key)).for('update');
  return row;
}

export async function listIntegrations(
  tx: TenantTx,
  bot: { tenantId: string; botId: string },
  page: PageRequest,
): Promise<IntegrationRow[]> {
  return await tx.db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.tenantId, bot.tenantId),
        eq(integrations.botId, bot.botId),
        page.before ? lt(integrations.integrationId, page.before) : undefined,
      ),
    )
    .orderBy(desc(integrations.integrationId))
    .limit(page.limit + 1);
}

export interface IntegrationFilter {
  integrationId?: string | undefined;
  botId?: string | undefined;
  platform?: IntegrationRow['integrationType'] | undefined;
}

/** Integrations of all bots of a tenant with the names of these, newest first, one more than the page's limit. */
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

/** Updates and begins a new revision, whose registration is pending. @throws HttpError 409 as `insertIntegration`. */
export async function updateIntegration(
  tx: TenantTx,
  key: IntegrationKey,
  change: Partial<NewIntegration> & Pick<NewIntegration, 'integrationType'>,
): Promise<IntegrationRow> {
  const [row] = await translated(change.integrationType, () =>
    tx.db
      .update(integrations)
      .set({
        ...change,
        revision: sql`${integrations.revision} + 1`,
        registrationState: change.integrationType === 'email' ? 'registered' : 'pending',
        registrationError: null,
        registrationCheckedAt: null,
        updatedAt: sql`now()`,
      })
      .where(matches(key))
      .returning(),
  );
  return row!;
}

export async function deleteIntegration(
  tx: TenantTx,
  key: IntegrationKey,
): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db.delete(integrations).where(matches(key)).returning();
  return row;
}

/** Of a bot and a type, or of an e-mail address; there is at most one of either. */
export async function findIntegration(
  tx: PlatformTx,
  wanted: { botId: string; integrationType: IntegrationRow['integrationType'] } | { address: string },
): Promise<IntegrationRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(integrations)
    .where(
      'address' in wanted
        ? eq(integrations.address, wanted.address)
        : and(eq(integrations.botId, wanted.botId), eq(integrations.integrationType, wanted.integrationType)),
    );
  return row;
}

export interface RegistrationChange {
  tenantId: string;
  integrationId: string;
  revision: number;
  state: 'pending' | 'registered' | 'failed';
  lastError?: string | undefined;
  pendingUpdates?: number | undefined;
  checkedAt: string;
}

/** Keeps what the platform said of this very revision, unless something newer is known. */
export async function saveRegistration(tx: TenantTx, change: RegistrationChange): Promise<void> {
  const checkedAt = new Date(change.checkedAt);
  await tx.db
    .update(integrations)
    .set({
      registrationState: change.state,
      registrationError: change.lastError ?? null,
      pendingUpdates: change.pendingUpdates ?? null,
      registrationCheckedAt: checkedAt,
    })
    .where(
      and(
        eq(integrations.tenantId, change.tenantId),
        eq(integrations.integrationId, change.integrationId),
        eq(integrations.revision, change.revision),
        or(isNull(integrations.registrationCheckedAt), lt(integrations.registrationCheckedAt, checkedAt)),
      ),
    );
}

async function translated<Result>(
  type: IntegrationRow['integrationType'],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error, 'integrations_one_per_token')) {
      const what = type === 'email' ? 'address' : 'bot token';
      throw conflict(`this ${what} is already in use`, { cause: error });
    }
    if (isUniqueViolation(error, 'integrations_one_of_a_type')) {
      throw conflict('the bot already has an integration of this type', { cause: error });
    }
    throw error;
  }
}
