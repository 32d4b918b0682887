import createFetchClient, {
  type FetchOptions,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch';
import type { FilterKeys, HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { components, paths } from '../generated/openapi.ts';
import { readError } from './api-error.ts';
import { readEvents, type StreamEvent } from './event-stream.ts';
import { eachItem, eachPage, type ListPage, nextCursor } from './pages.ts';

export type Schemas = components['schemas'];
/** A shape of the document by its name, as `Schema<'Bot'>`. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];

export interface ClientOptions {
  /** The gateway's origin, such as `http://localhost:3001`. In a page of the gateway's own: `''`. */
  origin: string;
  /** Returns a session token; `null` sends none. Called for each request, so that the token may be renewed. */
  token?: (() => string | null | Promise<string | null>) | undefined;
  /** The tenant of requests whose path names none. */
  tenantId?: () => string | null;
  fetch?: (request: Request) => Promise<Response>;
}

type InitOf<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];
type AnswerOf<Path extends keyof paths, Method extends keyof paths[Path]> = Exclude<
  // biome-ignore lint/complexity/noBannedTypes: no options, which is what the type of the library asks for.
  FetchResponse<paths[Path][Method] & Record<string, unknown>, {}, 'application/json'>['data'],
  undefined
>;
export type GetPath = PathsWithMethod<paths, 'get'>;
/** The answer of a path to a GET. */
export type Answer<Path extends GetPath> = AnswerOf<Path, 'get' & keyof paths[Path]>;

type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method & keyof paths[Path]>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<AnswerOf<Path, Method & keyof paths[Path]>>;

/** The paths that answer with a list. */
export type ListPath = {
  [Path in PathsWithMethod<paths, 'get'>]: AnswerOf<
    Path,
    'get' & keyof paths[Path]
  > extends readonly unknown[]
    ? Path
    : never;
}[PathsWithMethod<paths, 'get'>];
export type ListItem<Path extends ListPath> =
  AnswerOf<Path, 'get' & keyof paths[Path]> extends readonly (infer Item)[] ? Item : never;
type ListInit<Path extends ListPath> = FetchOptions<FilterKeys<paths[Path], 'get'>>;

export interface StreamOptions {
  method?: 'GET' | 'POST';
  body?: unknown;
  lastEventId?: string;
  signal?: AbortSignal;
  /** Called when the server begins its response. From then on the handler receives the events. */
  onOpen?: () => void;
}

/** The API with its types. Every call resolves with the body of a 2xx answer. @throws ApiError for any other answer. */
export interface Client {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** One page of a list; `next` goes into `params.query.before`. */
  page<Path extends ListPath>(path: Path, ...init: InitOf<ListInit<Path>>): Promise<ListPage<ListItem<Path>>>;
  /** Every item of a list, page by page. */
  list<Path extends ListPath>(
    path: Path,
    ...init: InitOf<ListInit<Path>>
  ): AsyncGenerator<ListItem<Path>, void, undefined>;
  /** Server-sent events of an address, until it ends or `signal` is aborted. */
  stream(path: `/${string}`, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>;
}

interface AnyInit {
  params?: { query?: Record<string, unknown> };
}
type AnyCall = (
  path: string,
  init?: AnyInit,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

export function createClient(options: ClientOptions): Client {
  const ask = createAsk(options);
  const api = createFetchClient<paths>({ baseUrl: options.origin, fetch: ask });
  const call = (method: AnyCall) => async (path: string, init?: AnyInit) => (await method(path, init)).data;
  const page = async (path: string, init: AnyInit = {}): Promise<ListPage<unknown>> => {
    const { data, response } = await (api.GET as AnyCall)(path, init);
    return { items: data as unknown[], next: nextCursor(response.headers.get('link')) };
  };
  const client = {
    get: call(api.GET as AnyCall),
    post: call(api.POST as AnyCall),
    put: call(api.PUT as AnyCall),
    patch: call(api.PATCH as AnyCall),
    delete: call(api.DELETE as AnyCall),
    page,
    list: (path: string, init: AnyInit = {}) =>
      eachItem(eachPage((before) => page(path, before === null ? init : withBefore(init, before)))),
    stream: (path: string, streamOptions: StreamOptions = {}) => stream(options, ask, path, streamOptions),
  };
  return client as unknown as Client;
}

/** Sends a request as the caller. @throws ApiError unless the answer is 2xx */
function createAsk({ token, tenantId, fetch = (request) => globalThis.fetch(request) }: ClientOptions) {
  return async (request: Request): Promise<Response> => {
    const bearer = (typeof token === 'function' ? await token() : token) ?? null;
    const tenant = tenantId?.() ?? null;
    if (bearer !== null) request.headers.set('authorization', `Bearer ${bearer}`);
    if (tenant !== null) request.headers.set('x-tenant-id', tenant);
    const response = await fetch(request);
    if (!response.ok) throw await readError(response);
    return response;
  };
}

async function* stream(
  { origin }: ClientOptions,
  ask: (request: Request) => Promise<Response>,
  path: string,
  { method = 'GET', body, lastEventId, signal, onOpen }: StreamOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const headers = new Headers({ accept: 'text/event-stream' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (lastEventId !== undefined) headers.set('last-event-id', lastEventId);
  const init = { method, headers, ...(signal ? { signal } : {}) };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await ask(new Request(`${origin}${path}`, { ...init, ...content }));
  onOpen?.();
  yield* readEvents(response);
}

function withBefore(init: AnyInit, before: string): AnyInit {
  return { ...init, params: { ...init.params, query: { ...init.params?.query, before } } };
}
