import { keepDocuments } from '@botyard/contracts/events/agents-requests';
import type { StorageLimit } from '@botyard/contracts/events/storage';
import { keepMails } from '@botyard/contracts/events/webhook-requests';
import type { Limit, PersonLimits, SetTenantLimitsBody, TenantLimits } from '@botyard/contracts/http/limits';
import type { Caller } from '@botyard/shared/auth/caller';
import { ask } from '@botyard/shared/bus/requests';
import {
  type AnyTx,
  type PlatformTx,
  type TenantTx,
  withPlatform,
  withTenant,
} from '@botyard/shared/db/database';
import { conflict, HttpError, notFound } from '@botyard/shared/http/errors';
import { getTenant, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import {
  countInTenant,
  countTenantsMadeBy,
  getTenantLimitOf,
  groupExists,
  type LimitName,
  lockMaker,
  saveTenantLimitOf,
  saveTenantLimits,
} from '../store/limits.ts';

type Settings = Pick<Deps, 'limits'>;

const ownLimit = (tenant: TenantRow, name: LimitName): number | null =>
  ({ bots: tenant.maxBots, edges: tenant.maxEdges, groups: tenant.maxGroups })[name];

/** The bots of the platform belong to the operators, so they are unlimited. */
const limitOf = ({ limits }: Settings, tenant: TenantRow, name: LimitName): number | null =>
  tenant.isPlatform ? null : (ownLimit(tenant, name) ?? limits[name]);

/**
 * Called before rows are added, with the tenant locked, so that concurrent requests can't exceed the limit.
 * @throws HttpError 409 when there would be more than the limit.
 */
export async function requireRoom(
  deps: Settings,
  tx: AnyTx,
  { tenant, name, added = 1 }: { tenant: TenantRow; name: LimitName; added?: number },
): Promise<void> {
  const limit = limitOf(deps, tenant, name);
  if (limit === null) return;
  const used = await countInTenant(tx, { tenantId: tenant.tenantId, name, most: limit });
  if (used + added > limit) throw reached(`this tenant may have at most ${limit} ${name}`);
}

/** The same for an edge, which may be the first to name a group. */
export async function requireRoomForEdge(
  deps: Settings,
  tx: TenantTx,
  { tenant, groupIds }: { tenant: TenantRow; groupIds: readonly string[] },
): Promise<void> {
  await requireRoom(deps, tx, { tenant, name: 'edges' });
  const limit = limitOf(deps, tenant, 'groups');
  if (limit === null) return;
  const { tenantId } = tenant;
  let added = 0;
  for (const groupId of new Set(groupIds)) if (!(await groupExists(tx, tenantId, groupId))) added += 1;
  if (added === 0) return;
  const used = await countInTenant(tx, { tenantId, name: 'groups', most: limit });
  if (used + added > limit) throw reached(`this tenant may have at most ${limit} groups`);
}

/** Called before a person creates a tenant, in its transaction. Operators are not limited. @throws HttpError 409. */
export async function requireRoomForTenant(
  { limits }: Settings,
  tx: PlatformTx,
  { userId, isOperator }: Pick<Caller, 'userId' | 'isOperator'>,
): Promise<void> {
  if (isOperator) return;
  await lockMaker(tx, userId);
  const limit = (await getTenantLimitOf(tx, userId)) ?? limits.tenants;
  if (limit === null) return;
  const used = await countTenantsMadeBy(tx, { userId, most: limit });
  if (used >= limit) throw reached(`you may create at most ${limit} tenants`);
}

const reached = (what: string): HttpError =>
  conflict(`${what}: delete one that is not needed, or ask the operator for a higher limit`);

/** @throws HttpError 404. */
export async function readTenantLimits(deps: Deps, tenantId: string): Promise<TenantLimits> {
  const limits = await withTenant(deps.database, [tenantId], async (tx) =>
    toTenantLimits(deps, tx, await getTenant(tx, tenantId)),
  );
  return { ...limits, ...(await readStorage(deps, tenantId)) };
}

/** The tenant's storage in other services; `null` for a service that doesn't answer. */
async function readStorage(
  { bus, log }: Pick<Deps, 'bus' | 'log'>,
  tenantId: string,
): Promise<Pick<TenantLimits, 'mailBytes' | 'documentBytes'>> {
  const ifKnown = (answer: Promise<StorageLimit>) =>
    answer.catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
      log.debug({ err: error }, 'could not read a limit');
      return null;
    });
  const [mailBytes, documentBytes] = await Promise.all([
    ifKnown(ask(bus, keepMails, { tenantId })),
    ifKnown(ask(bus, keepDocuments, { tenantId })),
  ]);
  return { mailBytes, documentBytes };
}

/**
 * Sets the given limits; `null` restores the setting. Existing things are kept. Recorded in the audit log. @throws
 * HttpError 404, 503.
 */
export async function setTenantLimits(
  deps: Deps,
  tenantId: string,
  { bots, edges, groups, mailBytes, documentBytes }: SetTenantLimitsBody,
): Promise<TenantLimits> {
  if (!(await deps.callers.tenantExists(tenantId))) throw notFound('tenant');
  // The other service comes first, because it may not answer.
  if (mailBytes !== undefined) await ask(deps.bus, keepMails, { tenantId, ownLimit: mailBytes });
  if (documentBytes !== undefined) await ask(deps.bus, keepDocuments, { tenantId, ownLimit: documentBytes });
  const change = { maxBots: bots, maxEdges: edges, maxGroups: groups };
  const limits = await withTenant(deps.database, [tenantId], async (tx) =>
    toTenantLimits(deps, tx, await saveTenantLimits(tx, tenantId, change)),
  );
  const audited = { ...change, mailBytes, documentBytes };
  deps.log.info({ audit: 'limits of a tenant', subject: tenantId, ...audited }, 'audit');
  return { ...limits, ...(await readStorage(deps, tenantId)) };
}

async function toTenantLimits(
  deps: Settings,
  tx: TenantTx,
  tenant: TenantRow | undefined,
): Promise<Omit<TenantLimits, 'mailBytes' | 'documentBytes'>> {
  if (!tenant || tenant.isPlatform) throw notFound('tenant');
  const { tenantId } = tenant;
  const read = async (name: LimitName): Promise<Limit> => ({
    limit: limitOf(deps, tenant, name),
    ownLimit: ownLimit(tenant, name),
    defaultLimit: deps.limits[name],
    used: await countInTenant(tx, { tenantId, name, most: null }),
  });
  const [bots, edges, groups] = await Promise.all([read('bots'), read('edges'), read('groups')]);
  return { tenantId, bots, edges, groups };
}

/** @throws HttpError 404. */
export async function readPersonLimits(deps: Deps, userId: string): Promise<PersonLimits> {
  return await withPlatform(deps.database, 'limits of a person', (tx) => toPersonLimits(deps, tx, userId));
}

/** Recorded in the audit log. @throws HttpError 404. */
export async function setPersonLimits(
  deps: Deps,
  userId: string,
  { tenants }: { tenants: number | null },
): Promise<PersonLimits> {
  const limits = await withPlatform(deps.database, 'set limits of a person', async (tx) => {
    if (!(await saveTenantLimitOf(tx, userId, tenants))) throw notFound('user');
    return await toPersonLimits(deps, tx, userId);
  });
  deps.log.info({ audit: 'limits of a person', subject: userId, tenants }, 'audit');
  return limits;
}

async function toPersonLimits({ limits }: Settings, tx: PlatformTx, userId: string): Promise<PersonLimits> {
  const own = await getTenantLimitOf(tx, userId);
  if (own === undefined) throw notFound('user');
  const used = await countTenantsMadeBy(tx, { userId, most: null });
  return {
    userId,
    tenants: { limit: own ?? limits.tenants, ownLimit: own, defaultLimit: limits.tenants, used },
  };
}
