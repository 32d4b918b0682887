import { z } from 'zod';
import type { Access } from '../http/contract.ts';
import { badRequest, forbidden, type HttpError, notFound, unauthorized } from '../http/errors.ts';
import type { Caller, CallerDirectory } from './caller.ts';
import type { Identity } from './identity.ts';

export interface AccessRequest {
  access: Access;
  /** Content of the path's `:tenantId`; `undefined` when the route has none and acts in the active tenant. */
  pathTenantId: string | undefined;
}

export interface Admitted {
  caller: Caller | null;
  tenantId: string | null;
  /** The caller reached into the tenant by being an operator: goes to the audit log. */
  asOperator: boolean;
}

type Decision = Admitted | HttpError;

/**
 * Decides whether an identity may call a route, and in which tenant it acts (decisions 4).
 * A refusal is never taken from a remembered caller: it is decided again on a fresh one.
 * @throws HttpError 401, 403, 404 (an operator names a missing tenant) or 400 (no active tenant).
 */
export async function admit(
  request: AccessRequest,
  identity: Identity | null,
  directory: CallerDirectory,
): Promise<Admitted> {
  if (!identity) throw unauthorized();
  if (request.access === 'public') return { caller: null, tenantId: null, asOperator: false };
  if (identity.kind === 'anonymous') throw unauthorized();
  const first = await directory.resolve(identity, { fresh: actsInActiveTenant(request) });
  let decision = decide(request, first.caller);
  if (decision instanceof Error && !first.isFresh) {
    decision = decide(request, (await directory.resolve(identity, { fresh: true })).caller);
  }
  if (decision instanceof Error) throw decision;
  if (decision.asOperator && decision.tenantId && !(await directory.tenantExists(decision.tenantId))) {
    throw notFound('tenant');
  }
  return decision;
}

function actsInActiveTenant({ access, pathTenantId }: AccessRequest): boolean {
  return (access === 'member' || access === 'admin') && pathTenantId === undefined;
}

function decide(request: AccessRequest, caller: Caller | null): Decision {
  if (!caller) return unauthorized();
  const admitted = { caller, tenantId: null, asOperator: false };
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
    case 'admin':
      return decideInTenant(request, request.access, caller);
  }
}

const administersAny = (caller: Caller): boolean => [...caller.roles.values()].includes('admin');

function decideInTenant(request: AccessRequest, needed: 'member' | 'admin', caller: Caller): Decision {
  const tenantId = request.pathTenantId ?? caller.activeTenantId;
  if (tenantId === null) {
    return badRequest('no tenant is active in this session: choose one with POST /api/tenant/select');
  }
  if (!z.uuid().safeParse(tenantId).success) return forbidden();
  const role = caller.roles.get(tenantId);
  if (role === 'admin' || (role === 'member' && needed === 'member')) {
    return { caller, tenantId, asOperator: false };
  }
  return caller.isOperator ? { caller, tenantId, asOperator: true } : forbidden();
}
