import { type AnyRoute, actsInActiveTenant, isList } from '@botyard/contracts/http/contract';
import type { Identity } from '@botyard/contracts/identity';
import type { Request, RequestHandler, Response } from 'express';
import { admit } from '../auth/access.ts';
import { type CallerDirectory, principalIdOf, type RequestFacts } from '../auth/caller.ts';
import { identityHeader, type VerifyIdentity } from '../auth/identity.ts';
import { type AccessRequest, RefusedByPolicy } from '../auth/policed.ts';
import { uuidOf } from '../auth/uuid.ts';
import type { Log } from '../log/log.ts';
import { currentContext } from '../tracing/context.ts';
import { clientAddressOf } from './client-address.ts';
import { badRequest, HttpError, notFound } from './errors.ts';

/** Names the tenant of a request whose path doesn't; defaults to the active tenant. */
const tenantHeader = 'x-tenant-id';

type Admissible = Pick<
  AnyRoute,
  'access' | 'acceptsTokens' | 'path' | 'params' | 'method' | 'paged' | 'response'
>;

export interface AdmissionOptions {
  verifyIdentity: VerifyIdentity;
  callers: CallerDirectory;
  log: Log;
}

/** Admits a request to a route: verifies the caller's identity and access. */
export function admission(route: Admissible, basePath: string, options: AdmissionOptions): RequestHandler {
  return async (req, res, next) => {
    const identity = await identityOf(req, options);
    // The word may be part of another route's path.
    if (malformedId(req, route, identity)) return next('route');
    await admitTo(route, basePath, { req, res, identity, options });
    next();
  };
}

/** Returns `null` if the request didn't come through the gateway. */
export async function identityOf(req: Request, options: AdmissionOptions): Promise<Identity | null> {
  const header = req.headers[identityHeader];
  return await options.verifyIdentity(typeof header === 'string' ? header : undefined);
}

interface Admitting {
  req: Request;
  res: Response;
  identity: Identity | null;
  options: AdmissionOptions;
}

/** @throws HttpError as `admit` does, and 404 for an identifier that isn't a UUID. */
export async function admitTo(
  route: Admissible,
  basePath: string,
  { req, res, identity, options }: Admitting,
): Promise<void> {
  const malformed = malformedId(req, route, identity);
  if (malformed) throw notFound(malformed.replace(/Id$/, '') || 'resource');
  const request = accessRequestOf(req, route, basePath.replace(/^\/api\//, ''));
  const admitted = await admit(request, identity, options.callers).catch((error: HttpError) => {
    if (error.cause instanceof RefusedByPolicy) {
      options.log.info({ audit: 'refused', ...error.cause.refusal, ...factsOf(request) }, 'audit');
    }
    throw error;
  });
  res.locals.admitted = admitted;
  res.locals.mayStill = () =>
    isAdmitted({ ...request, namedTenantId: admitted.tenantId ?? undefined }, identity, options.callers);
  res.locals.request = factsOf(request);
  const context = currentContext();
  if (context) {
    context.tenantId = admitted.tenantId ?? undefined;
    context.principalId = admitted.caller ? principalIdOf(admitted.caller) : undefined;
  }
  for (const refusal of admitted.leftOut ?? []) {
    options.log.info({ audit: 'left out of a list', ...refusal, ...factsOf(request) }, 'audit');
  }
  if (admitted.relation === 'operator') {
    options.log.info({ audit: 'operator reached into tenant', method: req.method, path: req.path }, 'audit');
  }
}

async function isAdmitted(
  request: AccessRequest,
  identity: Identity | null,
  callers: CallerDirectory,
): Promise<boolean> {
  const fresh: CallerDirectory = {
    resolve: (whose, options) => callers.resolve(whose, { ...options, fresh: true }),
    tenantExists: (tenantId) => callers.tenantExists(tenantId),
    decide: (question) => callers.decide(question),
  };
  try {
    await admit(request, identity, fresh);
    return true;
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return false;
    throw error;
  }
}

/** Everything that access depends on, in normalized form: identifiers are compared as text. */
function accessRequestOf(req: Request, route: Admissible, router: string): AccessRequest {
  const wanted = req.query.tenantId;
  return {
    access: route.access,
    acceptsTokens: route.acceptsTokens,
    router,
    method: req.method,
    address: clientAddressOf(req),
    namedTenantId: namedTenant(req, route)?.toLowerCase(),
    pathBotId: uuidOf(pathParam(req, 'botId')),
    queryTenantId: uuidOf(typeof wanted === 'string' ? wanted : undefined),
  };
}

/**
 * A list bound to one tenant by its path or the header can't be narrowed to another tenant: no caller reaches `none`.
 */
function namedTenant(req: Request, route: Admissible): string | undefined {
  const inPath = pathParam(req, 'tenantId');
  const named = inPath ?? (actsInActiveTenant(route) ? tenantOfHeader(req) : undefined);
  const wanted = req.query.tenantId;
  if (wanted === undefined || !isList(route) || (named === undefined && !actsInActiveTenant(route)))
    return named;
  if (typeof wanted !== 'string') return 'none';
  return named === undefined || named.toLowerCase() === wanted.toLowerCase() ? wanted : 'none';
}

/** @throws HttpError 400 if it isn't a UUID. */
function tenantOfHeader(req: Request): string | undefined {
  const named = req.headers[tenantHeader];
  if (named !== undefined && !uuidOf(String(named))) throw badRequest('X-Tenant-Id must be a UUID');
  return named === undefined ? undefined : String(named);
}

const factsOf = ({ router, method, address }: AccessRequest): RequestFacts => ({ router, method, address });

export function pathParam(req: Request, name: string): string | undefined {
  const value = req.params[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The path parameter with an invalid identifier. Identifiers are UUIDs: anything else names nothing and is 404 for
 * every caller. Requests without a session get 401 instead.
 */
function malformedId(req: Request, route: Admissible, identity: Identity | null): string | undefined {
  const hasSession = identity !== null && identity.kind !== 'anonymous';
  if (!hasSession && route.access !== 'public') return undefined;
  return Object.keys(req.params).find((name) => !route.params[name] && !uuidOf(pathParam(req, name)));
}
