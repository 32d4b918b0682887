import { type AnyRoute, actsInActiveTenant, isList, type Router } from '@botyard/contracts/http/contract';
import type { Identity } from '@botyard/contracts/identity';
import type { Request, RequestHandler, Response } from 'express';
import { admit } from '../auth/access.ts';
import type { CallerDirectory, RequestFacts } from '../auth/caller.ts';
import { identityHeader, type VerifyIdentity } from '../auth/identity.ts';
import { type AccessRequest, RefusedByPolicy, unreachableTenantId } from '../auth/policed.ts';
import { uuidOf } from '../auth/uuid.ts';
import { strangersPrefix } from '../db/lanes.ts';
import type { Log } from '../log/log.ts';
import { currentContext } from '../tracing/context.ts';
import { clientAddressOf, networkOf } from './client-address.ts';
import { HttpError, notFound } from './errors.ts';

/** Names the tenant of a request whose path doesn't; defaults to the active tenant. */
const tenantHeader = 'x-tenant-id';

type Admissible = Pick<AnyRoute, 'access' | 'path' | 'params' | 'method' | 'paged' | 'response'>;

export interface AdmissionOptions {
  verifyIdentity: VerifyIdentity;
  callers: CallerDirectory;
  log: Log;
}

type Admitter = Pick<Router, 'basePath' | 'routes' | 'words'>;

/**
 * Admits a request to a route: verifies the caller's identity and access. An invalid identifier is decided on like that
 * of a missing resource, so callers don't learn from it whether they would have been admitted.
 */
export function admission(route: Admissible, router: Admitter, options: AdmissionOptions): RequestHandler {
  return async (req, res, next) => {
    const identity = await identityOf(req, options);
    if (namesAnotherPath(req, route, router)) return next('route');
    await admitTo(route, router, { req, res, identity, options });
    refuseMalformedId(req, route);
    next();
  };
}

/**
 * Whether a path parameter holds a word of the router's own paths: words are never identifiers. So
 * `/:botId/integrations` isn't taken for `/:tenantId/:botId`.
 */
export function namesAnotherPath(req: Request, route: Admissible, router: Admitter): boolean {
  const { routes, words: further = [] } = router;
  const own = Object.values(routes).flatMap(({ path }) => path.toLowerCase().split('/'));
  const words = new Set([...own, ...further]);
  return idParams(req, route).some((name) => words.has(String(pathParam(req, name)).toLowerCase()));
}

/**
 * Identifiers are UUIDs; anything else names nothing. A public route checks its callers, and then identifiers, itself.
 * @throws HttpError 404.
 */
export function refuseMalformedId(req: Request, route: Admissible): void {
  if (route.access === 'public') return;
  const malformed = idParams(req, route).find((name) => !uuidOf(pathParam(req, name)));
  if (malformed) throw notFound(malformed.replace(/Id$/, '') || 'resource');
}

/** Path parameters without a schema of their own. */
const idParams = (req: Request, route: Admissible): string[] =>
  Object.keys(req.params).filter((name) => !route.params[name]);

/** Returns `null` if the request didn't come through the gateway. */
export async function identityOf(req: Request, options: AdmissionOptions): Promise<Identity | null> {
  const header = req.headers[identityHeader];
  const identity = await options.verifyIdentity(typeof header === 'string' ? header : undefined);
  const context = currentContext();
  if (context) context.share = shareOf(req, identity);
  return identity;
}

/** Until the tenant is known, a request uses its person's share, and without a login that of its client's address. */
function shareOf(req: Request, identity: Identity | null): string {
  return identity?.kind === 'user'
    ? `person:${identity.idpUserId}`
    : `${strangersPrefix}${networkOf(clientAddressOf(req))}`;
}

interface Admitting {
  req: Request;
  res: Response;
  identity: Identity | null;
  options: AdmissionOptions;
}

/** @throws HttpError as `admit` does. */
export async function admitTo(
  route: Admissible,
  { basePath }: Admitter,
  { req, res, identity, options }: Admitting,
): Promise<void> {
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
    context.share = admitted.tenantId ?? context.share;
    context.tenantId = admitted.tenantId ?? undefined;
    context.principalId = admitted.caller?.userId;
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
    router,
    method: req.method,
    address: clientAddressOf(req),
    namedTenantId: namedTenant(req, route)?.toLowerCase(),
    isTenantHeaderMalformed: actsInActiveTenant(route) && isMalformed(tenantOfHeader(req)),
    pathBotId: pathBotId(req),
    queryTenantId: uuidOf(typeof wanted === 'string' ? wanted : undefined),
  };
}

/** An invalid one is decided on like a missing bot, by policies too. */
function pathBotId(req: Request): string | undefined {
  const botId = pathParam(req, 'botId');
  return isMalformed(botId) ? missingId : uuidOf(botId);
}

/** Names nothing: the largest UUID, which is never generated. */
const missingId = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

const isMalformed = (id: string | undefined): boolean => id !== undefined && !uuidOf(id);

/** A list bound to one tenant by its path or the header can't be narrowed to another tenant. */
function namedTenant(req: Request, route: Admissible): string | undefined {
  const inPath = pathParam(req, 'tenantId');
  const named = inPath ?? (actsInActiveTenant(route) ? tenantOfHeader(req) : undefined);
  const wanted = req.query.tenantId;
  if (wanted === undefined || !isList(route) || (named === undefined && !actsInActiveTenant(route)))
    return named;
  if (typeof wanted !== 'string') return unreachableTenantId;
  return named === undefined || named.toLowerCase() === wanted.toLowerCase() ? wanted : unreachableTenantId;
}

function tenantOfHeader(req: Request): string | undefined {
  const named = req.headers[tenantHeader];
  return named === undefined ? undefined : String(named);
}

const factsOf = ({ router, method, address }: AccessRequest): RequestFacts => ({ router, method, address });

export function pathParam(req: Request, name: string): string | undefined {
  const value = req.params[name];
  return typeof value === 'string' ? value : undefined;
}
