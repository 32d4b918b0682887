import { z } from 'zod';
import type { ErrorStatus } from './errors.ts';
import { PageQuery } from './page.ts';
import type { FormFiles } from './upload.ts';

/** The access level that a caller needs. `auth/access.ts` defines each level (REQ-ACCESS-1). */
export type Access =
  | 'public'
  | 'authenticated'
  | 'anyAdmin'
  | 'anyAdminOrOperator'
  | 'member'
  | 'responder'
  | 'admin'
  | 'operator';
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type ServiceName = 'gateway' | 'tenancy' | 'keys' | 'usage' | 'webhooks' | 'agents';

type PathParam<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParam<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** One endpoint as data. Handler types, parsing, access checks, documents and tests are derived from it. */
interface Route<
  P extends string = string,
  A extends Access = Access,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | null = z.ZodType | null,
  Response extends z.ZodType | null = z.ZodType | null,
  Paged extends boolean = boolean,
> {
  readonly method: Method;
  /** Relative to the router's base path. */
  readonly path: P;
  readonly access: A;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of the path parameters that aren't UUIDs. */
  readonly params: Readonly<Record<string, z.ZodType<string>>>;
  readonly query: Query;
  readonly body: Body;
  readonly maxBodyBytes: number;
  /** It also takes a form with files. The handler then gets the `form`, and no `body`. */
  readonly files?: FormFiles;
  /** Advice in the 413 of a body that exceeds the limits. */
  readonly whenTooLarge?: string;
  readonly status: 200 | 201 | 202 | 204 | 303;
  /** `null` if the response has no body. */
  readonly response: Response;
  /** Whether the response is an array with a cursor in a `Link` header. */
  readonly paged: Paged;
  /** Error statuses in addition to those of access checks and parsing. */
  readonly errors: readonly ErrorStatus[];
}

export type AnyRoute = Route;
export interface Router<Routes extends Record<string, AnyRoute> = Record<string, AnyRoute>> {
  readonly basePath: `/${string}`;
  readonly service: ServiceName;
  readonly description: string;
  /**
   * The access level for every path below the base path, including paths without a route. No other router may serve
   * these paths.
   */
  readonly reserves?: Access;
  /** Words of other routers' paths beneath this one; like those of its own routes, they are never identifiers. */
  readonly words?: readonly string[];
  /** Cookies that the gateway passes to these routes. Other routes receive no cookies. */
  readonly cookies?: readonly string[];
  readonly routes: Routes;
}

export type ParamsOf<R extends AnyRoute> = Readonly<Record<PathParam<R['path']>, string>>;

const noQuery = z.object({});

/** A route without its method, path and access level. */
type RouteDefinition<
  Query extends z.ZodType,
  Body extends z.ZodType | null,
  Response extends z.ZodType | null,
> = Pick<Route, 'summary'> &
  Partial<
    Omit<Route<string, Access, Query, Body, Response>, 'method' | 'path' | 'access' | 'paged' | 'summary'>
  >;

/** Makes the routes of one access level and method. By default a route has no query, body or response (204). */
const routesOf =
  <A extends Access>(access: A, method: Method) =>
  <
    const P extends string,
    Query extends z.ZodType = typeof noQuery,
    Body extends z.ZodType | null = null,
    Response extends z.ZodType | null = null,
  >(
    path: P,
    definition: RouteDefinition<Query, Body, Response>,
  ): Route<P, A, Query, Body, Response, false> => ({
    method,
    path,
    access,
    params: {},
    maxBodyBytes: 100 * 1024,
    status: definition.response ? 200 : 204,
    errors: [],
    paged: false,
    ...definition,
    query: (definition.query ?? noQuery) as Query,
    body: (definition.body ?? null) as Body,
    response: (definition.response ?? null) as Response,
  });

/** The makers of routes for one access level, by method. `list` makes a `get` in pages, with `PageQuery` by default. */
const routesFor = <A extends Access>(access: A) => ({
  get: routesOf(access, 'get'),
  post: routesOf(access, 'post'),
  put: routesOf(access, 'put'),
  patch: routesOf(access, 'patch'),
  delete: routesOf(access, 'delete'),
  list: <const P extends string, Response extends z.ZodArray, Query extends z.ZodType = typeof PageQuery>(
    path: P,
    definition: RouteDefinition<Query, null, Response>,
  ): Route<P, A, NoInfer<Query>, null, Response, true> => ({
    ...routesOf(access, 'get')(path, definition),
    query: (definition.query ?? PageQuery) as Query,
    paged: true,
  }),
});

/** Makes public routes. */
export const anyone = routesFor('public');
export const authenticated = routesFor('authenticated');
export const anyAdmin = routesFor('anyAdmin');
export const anyAdminOrOperator = routesFor('anyAdminOrOperator');
export const member = routesFor('member');
export const responder = routesFor('responder');
export const admin = routesFor('admin');
export const operator = routesFor('operator');

/** Whether a route acts in a tenant that isn't in its path: that of `X-Tenant-Id`, otherwise the active one. */
export const actsInActiveTenant = ({ access, path }: Pick<AnyRoute, 'access' | 'path'>): boolean =>
  (access === 'member' || access === 'responder' || access === 'admin') &&
  !path.split('/').includes(':tenantId');

/** Whether a route returns a list that can be filtered by `?tenantId`. */
export const isList = ({
  method,
  paged,
  response,
}: Pick<AnyRoute, 'method' | 'paged' | 'response'>): boolean =>
  method === 'get' && (paged || response instanceof z.ZodArray);

export function defineRouter<const Routes extends Record<string, AnyRoute>>(
  router: Router<Routes>,
): Router<Routes> {
  return router;
}
