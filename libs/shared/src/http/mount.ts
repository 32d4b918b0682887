import {
  type Access,
  type AnyRoute,
  actsInActiveTenant,
  isList,
  type ParamsOf,
  type Router,
} from '@botyard/contracts/http/contract';
import { Download } from '@botyard/contracts/http/download';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { type Page, writeCursor } from '@botyard/contracts/http/page';
import { Upload } from '@botyard/contracts/http/upload';
import type { Identity } from '@botyard/contracts/identity';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { type AccessRequest, type Admitted, admit } from '../auth/access.ts';
import type { Caller, CallerDirectory, RequestFacts } from '../auth/caller.ts';
import { identityHeader, type VerifyIdentity } from '../auth/identity.ts';
import { RefusedByPolicy } from '../auth/policed.ts';
import type { Log } from '../log/log.ts';
import { currentContext } from '../tracing/context.ts';
import { refuseHostileBody } from './body-bounds.ts';
import { clientAddressOf } from './client-address.ts';
import { refuseUnknownPath } from './error-handler.ts';
import { badRequest, HttpError, invalid, notFound } from './errors.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { sendDownload } from './send-download.ts';
import { sendEvents } from './send-events.ts';
import { uploadParser } from './upload-parser.ts';

type CallerOf<A extends Access> = A extends 'public' ? null : Caller;
type TenantOf<A extends Access> = A extends 'member' | 'admin' ? string : null;
type BodyOf<R extends AnyRoute> = R['body'] extends z.ZodType ? z.output<R['body']> : undefined;
type ItemOf<Response> = Response extends z.ZodArray<infer Item> ? z.input<Item> : never;
type ResultOf<R extends AnyRoute> = R['response'] extends z.ZodType
  ? R['paged'] extends true
    ? Page<ItemOf<R['response']>>
    : z.input<R['response']>
  : void;

/** What a handler gets: parsed, and allowed. `tenantId` is the tenant that the caller was checked for. */
export interface Input<R extends AnyRoute> {
  params: ParamsOf<R>;
  query: z.output<R['query']>;
  body: BodyOf<R>;
  caller: CallerOf<R['access']>;
  tenantId: TenantOf<R['access']>;
  /** What policies see of the request. */
  request: RequestFacts;
  /** The token in `Authorization`, on public routes only: what it is good for is for the handler to check. */
  bearer: string | null;
  exchange: Exchange;
  /** Decides again, with nothing remembered, whether the caller may still do this there. @throws HttpError 503 when that can't be told. */
  mayStill: () => Promise<boolean>;
}

/** One function for each route of a contract: one that is missing does not compile. */
export type Handlers<R extends Router, Deps> = {
  [Name in keyof R['routes']]: (
    input: Input<R['routes'][Name]>,
    deps: Deps,
  ) => Promise<ResultOf<R['routes'][Name]>>;
};

export interface MountOptions<Deps> {
  verifyIdentity: VerifyIdentity;
  callers: CallerDirectory;
  log: Log;
  deps: Deps;
}

type LooseHandler<Deps> = (input: unknown, deps: Deps) => Promise<unknown>;

/** Serves a contract: identity, access, parsing, handler, response, in this order, for every route alike. */
export function mountRouter<R extends Router, Deps>(
  app: Express,
  router: R,
  handlers: Handlers<R, Deps>,
  options: MountOptions<Deps>,
): void {
  for (const [name, route] of Object.entries(router.routes)) {
    const handler = handlers[name] as unknown as LooseHandler<Deps>;
    const path = `${router.basePath}${route.path === '/' ? '' : route.path}`;
    app[route.method](
      path,
      admission(route, router.basePath, options),
      ...bodyParser(route),
      serve(route, handler, options.deps),
    );
  }
  if (router.reserves) {
    const reserved = { ...noRoute, access: router.reserves };
    app.use(router.basePath, admission(reserved, router.basePath, options), refuseUnknownPath);
  }
}

/** Names the tenant of a request whose path doesn't; without it that is the active one. */
const tenantHeader = 'x-tenant-id';

type Admissible = Pick<AnyRoute, 'access' | 'path' | 'params' | 'method' | 'paged' | 'response'>;
/** What lies beneath a reserved path and is no route of its own. */
const noRoute = { path: '/', params: {}, method: 'get', paged: false, response: null } as const;

function admission<Deps>(route: Admissible, basePath: string, options: MountOptions<Deps>): RequestHandler {
  const router = basePath.replace(/^\/api\//, '');
  return async (req, res, next) => {
    const header = req.headers[identityHeader];
    const identity = await options.verifyIdentity(typeof header === 'string' ? header : undefined);
    if (identity?.kind === 'user' || route.access === 'public') {
      if (route.access !== 'operator') requireIds(req, route.params);
    }
    const request = accessRequestOf(req, route, router);
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
      context.principalId = admitted.caller?.userId;
    }
    for (const refusal of admitted.leftOut ?? []) {
      options.log.info({ audit: 'left out of a list', ...refusal, ...factsOf(request) }, 'audit');
    }
    if (admitted.relation === 'operator') {
      options.log.info(
        { audit: 'operator reached into tenant', method: req.method, path: req.path },
        'audit',
      );
    }
    next();
  };
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

/** Everything that access is decided by, in one spelling: identifiers are compared as text. */
function accessRequestOf(req: Request, route: Admissible, router: string): AccessRequest {
  const wanted = req.query.tenantId;
  return {
    access: route.access,
    router,
    method: req.method,
    address: clientAddressOf(req),
    namedTenantId: namedTenant(req, route)?.toLowerCase(),
    pathBotId: uuidOf(pathParam(req, 'botId')),
    queryTenantId: uuidOf(typeof wanted === 'string' ? wanted : undefined),
  };
}

/** A list that its path or the header binds to one tenant can't be narrowed to another one: nobody reaches `none`. */
function namedTenant(req: Request, route: Admissible): string | undefined {
  const inPath = pathParam(req, 'tenantId');
  const named = inPath ?? (actsInActiveTenant(route) ? tenantOfHeader(req) : undefined);
  const wanted = req.query.tenantId;
  if (wanted === undefined || !isList(route) || (named === undefined && !actsInActiveTenant(route)))
    return named;
  if (typeof wanted !== 'string') return 'none';
  return named === undefined || named.toLowerCase() === wanted.toLowerCase() ? wanted : 'none';
}

/** @throws HttpError 400 when it isn't a UUID. */
function tenantOfHeader(req: Request): string | undefined {
  const named = req.headers[tenantHeader];
  if (named !== undefined && !uuidOf(String(named))) throw badRequest('X-Tenant-Id must be a UUID');
  return named === undefined ? undefined : String(named);
}

const uuidOf = (text: string | undefined): string | undefined => {
  const parsed = z.uuid().safeParse(text);
  return parsed.success ? parsed.data.toLowerCase() : undefined;
};

const factsOf = ({ router, method, address }: AccessRequest): RequestFacts => ({ router, method, address });

function bodyParser(route: AnyRoute): RequestHandler[] {
  if (!route.body) return [];
  if (route.body === Upload) return uploadParser(route.maxBodyBytes);
  return [express.json({ limit: route.maxBodyBytes, strict: true }), requireJson, requireBounds];
}

const requireJson: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  next(
    hasBody && req.body === undefined ? new HttpError(415, 'the body must be application/json') : undefined,
  );
};

const requireBounds: RequestHandler = (req, _res, next) => {
  refuseHostileBody(req.body);
  next();
};

function serve<Deps>(route: AnyRoute, handler: LooseHandler<Deps>, deps: Deps): RequestHandler {
  return async (req, res) => {
    const { caller, tenantId } = res.locals.admitted as Admitted;
    const params = parseParams(route, req);
    const query = parse(route.query, req.query);
    const body = route.body ? parse(route.body, req.body ?? {}) : undefined;
    const result = await handler(
      {
        ...{ params, query, body, caller, tenantId, request: res.locals.request },
        ...{ bearer: bearerOf(route, req), exchange: exchangeOf(req, res), mayStill: res.locals.mayStill },
      },
      deps,
    );
    if (route.response === EventStream) sendEvents(req, res, route.status, result as EventStream);
    else if (route.response === Download) await sendDownload(res, route.status, result as Download);
    else send(route, req, res, result);
  };
}

function bearerOf({ access }: AnyRoute, { headers }: Request): string | null {
  const [, token = null] = /^Bearer ([!-~]{1,2000})$/i.exec(headers.authorization ?? '') ?? [];
  return access === 'public' ? token : null;
}

function pathParam(req: Request, name: string): string | undefined {
  const value = req.params[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Identifiers are UUIDs: anything else names nothing, so it is 404, whoever asks. Operators' routes refuse all others first, and a
 * tenant that can't be one is refused as any other that the caller has nothing to do with.
 */
function requireIds(req: Request, shapes: AnyRoute['params']): void {
  for (const name of Object.keys(req.params)) {
    if (!shapes[name] && name !== 'tenantId' && uuidOf(pathParam(req, name)) === undefined)
      throw notFound(name.replace(/Id$/, '') || 'resource');
  }
}

function parseParams(route: AnyRoute, req: Request): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of Object.keys(req.params)) {
    const value = pathParam(req, name) ?? '';
    const shape = route.params[name];
    if (!shape && !uuidOf(value)) throw notFound(name.replace(/Id$/, '') || 'resource');
    params[name] = shape ? parse(shape, value, [name]) : value.toLowerCase();
  }
  return params;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string[] = [],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(result.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
}

/** The response goes through its schema too, so that a field which isn't declared can't leave. */
function send(route: AnyRoute, req: Request, res: Response, result: unknown): void {
  if (!route.response) {
    res.status(route.status).end();
    return;
  }
  const page = route.paged ? (result as Page<unknown>) : undefined;
  if (page?.next) res.setHeader('Link', `<${nextPageAddress(req, page.next)}>; rel="next"`);
  res.status(route.status).json(route.response.parse(page ? page.items : result));
}

function nextPageAddress(req: Request, next: string): string {
  const query = new URLSearchParams(req.query as Record<string, string>);
  query.set('before', writeCursor(next));
  return `${req.path}?${query}`;
}
