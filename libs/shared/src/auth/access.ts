import type { Identity } from '@botyard/contracts/identity';
import { badRequest, forbidden, type HttpError, notFound, unauthorized } from '../http/errors.ts';
import type { Caller, CallerDirectory } from './caller.ts';
import { type AccessRequest, type Admitted, underPolicies, unreachableTenantId } from './policed.ts';
import { uuidOf } from './uuid.ts';

type Decision = Admitted | HttpError;

/**
 * Decides whether an identity may call a route, and in which tenant it acts (REQ-ACCESS-1). Relationships are checked
 * first, then policies, so that unrelated callers learn nothing about a tenant's policies. A refusal is never based
 * on a cached caller: the caller is resolved again first.
 * @throws HttpError 401, 403, 404 (an operator names a missing tenant), 400 (no active tenant) or 503 (policies can't
 * be evaluated). The cause of a 403 by a policy is a `RefusedByPolicy`.
 */
export async function admit(
  request: AccessRequest,
  identity: Identity | null,
  directory: CallerDirectory,
): Promise<Admitted> {
  if (!identity) throw unauthorized();
  if (request.access === 'public') return nowhere;
  if (identity.kind === 'anonymous') throw unauthorized();
  const { namedTenantId: pathTenantId } = request;
  const fresh = needsActiveTenant(request);
  const first = await directory.resolve(identity, { fresh, pathTenantId });
  let decision = decide(request, first.caller);
  if (decision instanceof Error && !first.isFresh) {
    decision = decide(request, (await directory.resolve(identity, { fresh: true, pathTenantId })).caller);
  }
  if (decision instanceof Error) throw decision;
  const { tenantId, relation } = decision;
  if (relation === 'operator' && tenantId && !(await directory.tenantExists(tenantId))) {
    throw notFound('tenant');
  }
  return await underPolicies(request, decision, directory);
}

const nowhere: Admitted = { caller: null, tenantId: null, relation: null, botIds: null };

function needsActiveTenant({ access, namedTenantId }: AccessRequest): boolean {
  const isInTenant = access === 'member' || access === 'responder' || access === 'admin';
  return isInTenant && namedTenantId === undefined;
}

function decide(request: AccessRequest, caller: Caller | null): Decision {
  if (!caller) return unauthorized();
  const admitted = { ...nowhere, caller };
  switch (request.access) {
    case 'public':
    case 'authenticated':
      return admitted;
    case 'anyAdmin':
      return administersAny(caller) ? admitted : forbidden('you administer no tenant');
    case 'anyAdminOrOperator':
      return caller.isOperator || administersAny(caller) ? admitted : forbidden('you administer no tenant');
    case 'operator':
      return caller.isOperator ? admitted : forbidden();
    case 'member':
    case 'responder':
    case 'admin':
      return decideInTenant(request, request.access, caller);
  }
}

const administersAny = (caller: Caller): boolean => [...caller.roles.values()].includes('admin');

function decideInTenant(
  request: AccessRequest,
  needed: 'member' | 'responder' | 'admin',
  caller: Caller,
): Decision {
  if (request.isTenantHeaderMalformed) return badRequest('X-Tenant-Id must be a UUID');
  const tenantId = request.namedTenantId ?? caller.activeTenantId;
  if (tenantId === null) {
    return badRequest('no tenant is active in this session: choose one with POST /api/tenant/select');
  }
  if (tenantId === unreachableTenantId) return forbidden();
  if (!uuidOf(tenantId)) return caller.isOperator ? notFound('tenant') : forbidden();
  const relation = [caller.roles.get(tenantId), tieTo(request.pathBotId, tenantId, caller)].find(
    (role) => role === 'admin' || (role === 'member' && needed === 'member'),
  );
  if (relation) return { caller, tenantId, relation, botIds: null };
  if (caller.isOperator) return { caller, tenantId, relation: 'operator', botIds: null };
  const botIds = needed === 'responder' ? botsAnsweredIn(tenantId, caller) : [];
  return botIds.length > 0 ? { caller, tenantId, relation: 'responder', botIds } : forbidden();
}

/** A relationship counts only in the bot's own tenant: a bot's identifier beneath another tenant gives no access. */
function tieTo(
  botId: string | undefined,
  tenantId: string,
  { bots }: Caller,
): 'admin' | 'member' | undefined {
  const tie = botId === undefined ? undefined : bots.get(botId);
  return tie?.tenantId === tenantId ? tie.role : undefined;
}

/** The bots of the tenant whose chats the person may answer. */
const botsAnsweredIn = (tenantId: string, { responds }: Caller): string[] =>
  [...responds].flatMap(([botId, ofTenant]) => (ofTenant === tenantId ? [botId] : []));
