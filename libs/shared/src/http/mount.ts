import type { Access, AnyRoute, ParamsOf, Router } from '@botyard/contracts/http/contract';
import { Download } from '@botyard/contracts/http/download';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { type Page, writeCursor } from '@botyard/contracts/http/page';
import { type Form, Upload } from '@botyard/contracts/http/upload';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Caller, RequestFacts } from '../auth/caller.ts';
import type { Admitted } from '../auth/policed.ts';
import { type AdmissionOptions, admission, pathParam } from './admission.ts';
import { refuseUnknownPath } from './error-handler.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { formReader, isForm } from './form-reader.ts';
import { refuseHostileInput } from './input-bounds.ts';
import { jsonBody, refuseEncoded } from './json-body.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { readInput } from './read-input.ts';
import { readerOf, resourceFirst } from './resource-first.ts';
import { sendDownload } from './send-download.ts';
import { sendEvents } from './send-events.ts';
import { sendJson, sendList } from './send-json.ts';
import { uploadParser } from './upload-parser.ts';

type CallerOf<A extends Access> = A extends 'public' ? null : Caller;
type TenantOf<A extends Access> = A extends 'member' | 'responder' | 'admin' ? string : null;
type BodyOf<R extends AnyRoute> = R['body'] extends z.ZodType ? z.output<R['body']> : undefined;
type ItemOf<Response> = Response extends z.ZodArray<infer Item> ? z.input<Item> : never;
type ResultOf<R extends AnyRoute> = R['response'] extends z.ZodType
  ? R['paged'] extends true
    ? Page<ItemOf<R['response']>>
    : z.input<R['response']>
  : void;

/** A handler's input, parsed and authorized. `tenantId` is the tenant for which access was checked. */
interface Input<R extends AnyRoute> {
  params: ParamsOf<R>;
  query: z.output<R['query']>;
  body: BodyOf<R>;
  /** A form with files, for routes that take them; the request then has no `body`. */
  form: Form | null;
  caller: CallerOf<R['access']>;
  tenantId: TenantOf<R['access']>;
  /** The bots that a responder is limited to; `null` for everybody else. */
  botIds: readonly string[] | null;
  /** The request's attributes for policies. */
  request: RequestFacts;
  /** The token in `Authorization`, on public routes only; the handler has to check it. */
  bearer: string | null;
  exchange: Exchange;
  /**
   * Checks again, without caches, whether the caller may still do this.
   * @throws HttpError 503 if that is unknown.
   */
  mayStill: () => Promise<boolean>;
}

/** One function for each route of a contract; a missing one does not compile. */
export type Handlers<R extends Router, Deps> = {
  [Name in keyof R['routes']]: (
    input: Input<R['routes'][Name]>,
    deps: Deps,
  ) => Promise<ResultOf<R['routes'][Name]>>;
};

/**
 * For routes whose resource no GET route finds for the same callers: throws what the handler throws for a missing
 * resource, or for one that the caller may not change.
 */
export type Finders<R extends Router, Deps> = {
  [Name in keyof R['routes']]?: (
    input: Omit<Input<R['routes'][Name]>, 'query' | 'body'>,
    deps: Deps,
  ) => Promise<unknown>;
};

interface MountOptions<R extends Router, Deps> extends AdmissionOptions {
  deps: Deps;
  finders?: Finders<R, Deps> | undefined;
}

type LooseHandler<Deps> = (input: unknown, deps: Deps) => Promise<unknown>;
type LooseHandlers<Deps> = Readonly<Record<string, LooseHandler<Deps>>>;

/**
 * Serves a contract: identity, access, parsing, handler, response, in this order, for every route. Mount
 * `refuseOtherMethods` after all contracts of an app.
 */
export function mountRouter<R extends Router, Deps>(
  app: Express,
  router: R,
  handlers: Handlers<R, Deps>,
  options: MountOptions<R, Deps>,
): void {
  for (const [name, route] of Object.entries(router.routes)) {
    const loose = handlers as unknown as LooseHandlers<Deps>;
    const handler = loose[name] as LooseHandler<Deps>;
    const find = options.finders?.[name] as LooseHandler<Deps> | undefined;
    const path = `${router.basePath}${route.path === '/' ? '' : route.path}`;
    app[route.method](
      path,
      admission(route, router, options),
      refuseEncoded,
      ...bodyParser(route),
      serve(route, handler, options.deps),
      ...faultsOfInputLast(find ? { route, find } : readerAmong(router, route, loose), options.deps),
    );
  }
  if (router.reserves) {
    refuseOtherMethods(app, [router], options);
    const reserved = { ...noRoute, access: router.reserves };
    app.use(router.basePath, admission(reserved, router, options), refuseUnknownPath);
  }
}

function bodyParser(route: AnyRoute): RequestHandler[] {
  if (!route.body) return [];
  if (route.body === Upload) return uploadParser(route.maxBodyBytes);
  if (!route.files) return jsonBody(route);
  return [formReader(route.files), ...jsonBody(route).map(unlessForm)];
}

const unlessForm =
  (handler: RequestHandler): RequestHandler =>
  (req, res, next) =>
    isForm(req) ? next() : handler(req, res, next);

function readBody(route: AnyRoute, req: Request, res: Response): unknown {
  return route.body && !res.locals.form ? readInput(route.body, req.body ?? {}) : undefined;
}

/** Represents paths beneath a reserved path that have no route. */
const noRoute = { path: '/', params: {}, method: 'get', paged: false, response: null } as const;

function serve<Deps>(route: AnyRoute, handler: LooseHandler<Deps>, deps: Deps): RequestHandler {
  return async (req, res) => {
    const params = parseParams(route, req);
    refuseHostileInput(req.query);
    const query = readInput(route.query, req.query, { thing: 'query parameter' });
    const body = readBody(route, req, res);
    const result = await handler(inputOf(route, { req, res, params, query, body }), deps);
    if (route.response === EventStream) sendEvents(req, res, route.status, result as EventStream);
    else if (route.response === Download) await sendDownload(res, route.status, result as Download);
    else await send(route, req, res, result);
  };
}

/** The rest of a handler's input follows from the admission and the request. */
function inputOf(
  route: AnyRoute,
  { req, res, ...parsed }: { req: Request; res: Response; params: object; query: unknown; body: unknown },
) {
  const { caller, tenantId, botIds } = res.locals.admitted as Admitted;
  return {
    ...parsed,
    form: (res.locals.form as Form | undefined) ?? null,
    caller,
    tenantId,
    botIds,
    request: res.locals.request,
    bearer: bearerOf(route, req),
    exchange: exchangeOf(req, res),
    mayStill: res.locals.mayStill,
  };
}

/** Finds the resource of a route for a caller whom that route admits. */
interface Finder<Deps> {
  /** The route whose input the function takes. */
  route: AnyRoute;
  find: LooseHandler<Deps>;
}

function readerAmong<Deps>(
  router: Router,
  route: AnyRoute,
  handlers: LooseHandlers<Deps>,
): Finder<Deps> | undefined {
  const reader = readerOf(router, route);
  const find = reader && handlers[reader.name];
  return find && { route: reader.route, find };
}

function faultsOfInputLast<Deps>(finder: Finder<Deps> | undefined, deps: Deps): ErrorRequestHandler[] {
  if (!finder) return [];
  const { route, find } = finder;
  const query = route.query.safeParse({}).data ?? {};
  return [
    resourceFirst(async (req, res) => {
      const params = parseParams(route, req);
      await find(inputOf(route, { req, res, params, query, body: undefined }), deps);
    }),
  ];
}

function bearerOf({ access }: AnyRoute, { headers }: Request): string | null {
  const [, token = null] = /^Bearer ([!-~]{1,2000})$/i.exec(headers.authorization ?? '') ?? [];
  return access === 'public' ? token : null;
}

/** Admission has already checked the identifiers. */
function parseParams(route: AnyRoute, req: Request): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of Object.keys(req.params)) {
    const value = pathParam(req, name) ?? '';
    const shape = route.params[name];
    params[name] = shape ? readInput(shape, value, { path: [name] }) : value.toLowerCase();
  }
  return params;
}

/** The response is parsed by its schema too, so that undeclared fields are removed. */
async function send(route: AnyRoute, req: Request, res: Response, result: unknown): Promise<void> {
  if (!route.response) {
    res.status(route.status).end();
    return;
  }
  const page = route.paged ? (result as Page<unknown>) : undefined;
  if (page?.next) res.setHeader('Link', `<${nextPageAddress(req, page.next)}>; rel="next"`);
  if (page) await sendList(req, res, route.status, route.response.parse(page.items));
  else sendJson(res, route.status, route.response.parse(result));
}

function nextPageAddress(req: Request, next: string): string {
  const query = new URLSearchParams(req.query as Record<string, string>);
  query.set('before', writeCursor(next));
  return `${req.path}?${query}`;
}
