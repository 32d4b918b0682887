import { z } from 'zod';
import type { ErrorStatus } from './errors.ts';
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

interface RouteDefinition<
  P extends string,
  A extends Access,
  Query extends z.ZodType,
  Body extends z.ZodType | null,
  Response extends z.ZodType | null,
  Paged extends boolean,
> {
  method: Method;
  path: P;
  access: A;
  summary: string;
  description?: string;
  params?: Readonly<Record<string, z.ZodType<string>>>;
  query?: Query;
  body?: Body;
  maxBodyBytes?: number;
  files?: FormFiles;
  whenTooLarge?: string;
  status?: 200 | 201 | 202 | 204 | 303;
  response?: Response;
  paged?: Paged;
  errors?: readonly ErrorStatus[];
}

/** Completes a route's definition with the defaults: no query, no body, no response (204), not paged. */
export function route<
  const P extends string,
  const A extends Access,
  Query extends z.ZodType = typeof noQuery,
  Body extends z.ZodType | null = null,
  Response extends z.ZodType | null = null,
  const Paged extends boolean = false,
>(
  definition: RouteDefinition<P, A, Query, Body, Response, Paged>,
): Route<P, A, Query, Body, Response, Paged> {
  const response = (definition.response ?? null) as Response;
  return {
    params: {},
    maxBodyBytes: 100 * 1024,
    status: response === null ? 204 : 200,
    errors: [],
    ...definition,
    query: (definition.query ?? noQuery) as Query,
    body: (definition.body ?? null) as Body,
    response,
    paged: (definition.paged ?? false) as Paged,
  };
}

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
