import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { UserIdentity } from '@botyard/contracts/identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import type { Caller, CallerDirectory } from '@botyard/shared/auth/caller';
import { RememberedCallers } from '@botyard/shared/auth/remembered-callers';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { Foundation } from '@botyard/shared/service/foundation';
import { saveVisits } from '../../people/store/memberships.ts';
import { insertUser } from '../../people/store/users.ts';
import type { PolicyDecisions } from '../../policies/domain/decisions.ts';
import { tenantExists } from '../../store/tenants.ts';
import { getReach, type ReachRow } from '../store/reach.ts';

/**
 * Resolves callers from the tables. Answers about one tenant are cached as long as the bus reports changes: changes of
 * this process apply immediately, those of another within 1 s (REQ-REL-14). Lists and the requests of other services
 * are always read.
 */
export function createLocalCallers(
  { database, bus, outbox }: Pick<Foundation, 'database' | 'bus' | 'outbox'>,
  policies: PolicyDecisions,
): CallerDirectory {
  const remembered = new RememberedCallers(bus);
  outbox.onCommit(accessChanged, (change) => remembered.onAccessChanged(change));
  outbox.onCommit(authorizationChanged, (change) => remembered.onAuthorizationChanged(change));
  return {
    resolve: (identity, { fresh, pathTenantId }) =>
      remembered.resolve(
        identity,
        // Routes that name no tenant need the person's tenants and the active one.
        { fresh: fresh || pathTenantId === undefined || !bus.isConnected, pathTenantId },
        () => findCaller(database, identity, pathTenantId),
      ),
    // This service's tenant routes never reach the platform's own tenant, whose bots have separate routes.
    tenantExists: async (tenantId) =>
      tenantId !== platformTenantId &&
      (await withPlatform(database, 'tenant exists', (tx) => tenantExists(tx, tenantId))),
    decide: (question) => policies.decideAccess(question),
  };
}

/**
 * The identity's person. An unknown one is created from the token's claims. Resolves with `null` when they were
 * deleted.
 */
async function findCaller(
  database: Database,
  identity: UserIdentity,
  namedTenantId: string | undefined,
): Promise<Caller | null> {
  const { idpUserId, sessionId, email = null, name = null } = identity;
  const key = { idpUserId, sessionId, orgId: identity.org?.id ?? null };
  const reach =
    (await withPlatform(database, 'resolve caller', (tx) => getReach(tx, key), {
      isDurable: false,
      isOneRoundTrip: true,
    })) ??
    (await withPlatform(database, 'first call of a person', async (tx) => {
      await insertUser(tx, { idpUserId, email, name });
      return await getReach(tx, key);
    }));
  if (!reach || reach.is_deleted) return null;
  const isNamed = (tenantId: string) => tenantId === namedTenantId || tenantId === reach.org_tenant_id;
  const visits = reach.unvisited_tenant_ids.filter(isNamed);
  if (visits.length > 0)
    await withPlatform(database, 'a person has come to a tenant', (tx) =>
      saveVisits(tx, { userId: reach.user_id, tenantIds: visits }),
    );
  const roles = new Map(reach.roles.map(({ tenantId, role }) => [tenantId, role]));
  return {
    userId: reach.user_id,
    idpUserId,
    sessionId,
    email: reach.email,
    isOperator: identity.isOperator,
    roles,
    bots: new Map(reach.bots.map(({ botId, ...tie }) => [botId, tie])),
    responds: new Map(reach.responds.map(({ botId, tenantId }) => [botId, tenantId])),
    policedTenantIds: new Set(reach.policed_tenant_ids),
    unvisitedTenantIds: new Set(reach.unvisited_tenant_ids.filter((tenantId) => !isNamed(tenantId))),
    activeTenantId: activeTenantOf(reach, roles, identity.isOperator),
    org: identity.org,
  };
}

/**
 * The tenant selected for the session, else that of the token's organization, else the only one (REQ-ACCESS-2). For the
 * last, only visited tenants count, so that no admin changes somebody's active tenant by adding them. A person without
 * visits has none to lose. A person without a role anywhere may act as a responder in one tenant.
 */
function activeTenantOf(reach: ReachRow, roles: Caller['roles'], isOperator: boolean): string | null {
  const isReachable = (tenantId: string | null) => tenantId !== null && (isOperator || roles.has(tenantId));
  if (isReachable(reach.selected_tenant_id)) return reach.selected_tenant_id;
  if (isReachable(reach.org_tenant_id)) return reach.org_tenant_id;
  const visited = reach.visited_tenant_ids.filter((tenantId) => roles.has(tenantId));
  const answersIn = new Set(reach.responds.map(({ tenantId }) => tenantId));
  const candidates = visited.length > 0 ? visited : roles.size > 0 ? roles.keys() : answersIn;
  const [only, ...others] = candidates;
  return only !== undefined && others.length === 0 ? only : null;
}
