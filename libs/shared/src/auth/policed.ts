import type { Access } from '@botyard/contracts/http/contract';
import { forbidden } from '../http/errors.ts';
import {
  type AccessQuestion,
  administeredTenantIds,
  type Caller,
  type CallerDirectory,
  type Place,
  type PolicyRefusal,
  type Relation,
  type RequestFacts,
} from './caller.ts';

export interface AccessRequest extends RequestFacts {
  access: Access;
  /**
   * The tenant that the request names by its path, by `X-Tenant-Id` or, for a list, by `?tenantId`; `undefined` for the
   * active one.
   */
  namedTenantId: string | undefined;
  /** Whether `X-Tenant-Id`, where it counts, is no UUID. */
  isTenantHeaderMalformed?: boolean;
  /** The path's `:botId`; a relationship with that bot alone is enough on its routes. */
  pathBotId?: string | undefined;
  /** The tenant of `?tenantId`, which narrows a list. */
  queryTenantId?: string | undefined;
}

/** Stands for a tenant that no caller reaches. No path can name it. */
export const unreachableTenantId = '';

export interface Admitted {
  /** On routes over several tenants, the tenants whose policies refuse are removed. */
  caller: Caller | null;
  tenantId: string | null;
  /** The relationship that admitted the caller; `operator` goes to the audit log. */
  relation: Relation | 'responder' | null;
  /** The bots that a responder is limited to; `null` for everybody else. */
  botIds: readonly string[] | null;
  /** Tenants that policies removed from a list; written to the audit log. */
  leftOut?: readonly PolicyRefusal[];
}

/**
 * The router that tenants' policies don't apply to, so that a policy can't lock a tenant out of repairing it. The
 * built-in set still applies there: it expresses the access levels.
 */
export const unpolicedRouter = 'auth';

/** The cause of a 403 by policies. It is logged and never part of the response. */
export class RefusedByPolicy extends Error {
  override readonly name = 'RefusedByPolicy';
  readonly refusal: PolicyRefusal;

  constructor(refusal: PolicyRefusal) {
    super(`refused by ${refusal.reason}: ${refusal.policies.join(', ')}`);
    this.refusal = refusal;
  }
}

/**
 * The second half of the decision, for a caller whom relationships admit. A tenant without its own policies is not
 * asked about: the built-in set only repeats the access level. On routes over several tenants, tenants whose policies
 * refuse `read` are removed from the caller's roles, so that no handler sees them.
 * @throws HttpError 403, with the same body as for an unrelated caller.
 */
export async function underPolicies(
  request: AccessRequest,
  admitted: Admitted,
  directory: CallerDirectory,
): Promise<Admitted> {
  const { caller } = admitted;
  if (!caller || request.router === unpolicedRouter) return admitted;
  const places = placesOf(request, admitted, caller);
  if (places.length === 0) return admitted;
  const { address, router, method } = request;
  const action = actionOf(request, admitted);
  const { userId, idpUserId, isOperator } = caller;
  const leftOut = await directory.decide({
    caller: { userId, idpUserId, isOperator },
    action,
    places,
    request: { address, router, method },
  });
  const [first] = leftOut;
  if (!first) return admitted;
  const named = admitted.tenantId ?? request.queryTenantId;
  const ofNamed = leftOut.find(({ tenantId }) => tenantId === named);
  if (ofNamed) throw forbidden(undefined, { cause: new RefusedByPolicy(ofNamed) });
  const narrowed = without(caller, leftOut);
  if (!narrowed.isOperator && administeredTenantIds(narrowed).length === 0) {
    throw forbidden('you administer no tenant', { cause: new RefusedByPolicy(first) });
  }
  return { ...admitted, caller: narrowed, leftOut };
}

/** To policies, a responder is a member who reads: the built-in set knows no weaker relation. */
const actionOf = ({ access }: AccessRequest, { relation }: Admitted): AccessQuestion['action'] =>
  access === 'admin' || (access === 'responder' && relation !== 'responder') ? 'manage' : 'read';

/** The places where policies apply. An operator's tenants aren't known beforehand, so the policies are always asked. */
function placesOf(request: AccessRequest, { tenantId, relation }: Admitted, caller: Caller): Place[] {
  if (tenantId !== null && relation !== null) {
    const isPoliced = relation === 'operator' || caller.policedTenantIds.has(tenantId);
    const role = relation === 'responder' ? 'member' : relation;
    return isPoliced ? [{ tenantId, botId: request.pathBotId ?? null, relation: role }] : [];
  }
  if (!isOverTenants(request.access)) return [];
  const places: Place[] = administeredTenantIds(caller)
    .filter((id) => caller.policedTenantIds.has(id))
    .map((id) => ({ tenantId: id, botId: null, relation: 'admin' }));
  const wanted = request.queryTenantId;
  return caller.isOperator && wanted !== undefined && caller.roles.get(wanted) !== 'admin'
    ? [...places, { tenantId: wanted, botId: null, relation: 'operator' }]
    : places;
}

const isOverTenants = (access: Access): boolean => access === 'anyAdmin' || access === 'anyAdminOrOperator';

function without(caller: Caller, refusals: readonly PolicyRefusal[]): Caller {
  const refused = new Set(refusals.map(({ tenantId }) => tenantId));
  return { ...caller, roles: new Map([...caller.roles].filter(([tenantId]) => !refused.has(tenantId))) };
}
