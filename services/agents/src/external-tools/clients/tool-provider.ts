import { readBounded } from '@botyard/shared/http/bounded-body';
import { foundNoConnection } from '@botyard/shared/http/no-connection';
import { tryReadJson } from '@botyard/shared/json/read-json';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Secret } from '@botyard/shared/secrets/secret';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { storable } from '../../models/clients/wire.ts';

/**
 * `not found`, `refused`, `limited`: the provider's answer; the call had no effect. `unavailable`: the provider could
 * not be reached or failed; no effect. `unclear`: the request was sent, and its effect is unknown.
 */
type ToolProviderFault = 'not found' | 'refused' | 'limited' | 'unavailable' | 'unclear';

export class ToolProviderError extends Error {
  override readonly name = 'ToolProviderError';
  readonly fault: ToolProviderFault;
  readonly retryAfterMs: number | undefined;

  /** `message` may hold text from the provider: for the log, and for a model as data. */
  constructor(
    fault: ToolProviderFault,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const short = z.string().transform((text) => storable(text).slice(0, 300));
const long = z.string().transform((text) => storable(text).slice(0, 2000));
const count = z.number().int().nonnegative().catch(0);
const slug = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);
const accountId = z.string().regex(/^[\w-]{1,120}$/);

const ProviderToolkit = z.object({
  slug: slug.toLowerCase(),
  name: short,
  no_auth: z.boolean().nullish(),
  meta: z.object({ description: long.nullish(), tools_count: count.nullish() }).nullish(),
});
const ProviderTool = z.object({
  slug: slug.toUpperCase(),
  name: short.nullish(),
  description: long.nullish(),
  toolkit: z.object({ slug: slug.toLowerCase() }),
  input_parameters: z.record(z.string(), z.unknown()).nullish(),
  tags: z.array(z.string()).nullish(),
});
const ProviderAccount = z.object({
  id: accountId,
  user_id: z.string().max(200),
  status: z.string().max(40),
  toolkit: z.object({ slug: slug.toLowerCase() }),
});
const ProviderResult = z.object({
  data: z.unknown(),
  error: z.unknown(),
  successful: z.boolean(),
  log_id: short.nullish(),
});
const ProviderLink = z.object({
  redirect_url: z.url({ protocol: /^https?$/ }).max(4000),
  connected_account_id: accountId,
});
const authConfig = z.object({ id: accountId, status: z.string().nullish() });

export type ProviderToolkit = z.output<typeof ProviderToolkit>;
export type ProviderTool = z.output<typeof ProviderTool>;
export type ProviderAccount = z.output<typeof ProviderAccount>;

interface ToolExecutionOrder {
  tool: string;
  /** The account. Without one, only tools that need none can be called. */
  account: { accountId: string } | { userId: string };
  /** JSON, sent unchanged. */
  arguments: string;
  signal: AbortSignal;
}

/** The provider of external tools. Every response is limited in size and validated; none contains a credential. */
export interface ToolProvider {
  listToolkits(search: string | undefined): Promise<ProviderToolkit[]>;
  getToolkit(toolkit: string): Promise<ProviderToolkit>;
  listTools(toolkit: string): Promise<ProviderTool[]>;
  /** Cached for some minutes. */
  getTool(tool: string): Promise<ProviderTool>;
  /** Starts connecting a user's account to a toolkit. */
  link(link: {
    toolkit: string;
    userId: string;
    callbackUrl: string | undefined;
  }): Promise<{ redirectUrl: string; accountId: string }>;
  getAccount(accountId: string): Promise<ProviderAccount>;
  /** Treats a missing account as deleted. */
  deleteAccount(accountId: string): Promise<void>;
  /** Makes one attempt without retries. */
  execute(order: ToolExecutionOrder): Promise<z.output<typeof ProviderResult>>;
}

interface ToolProviderOptions {
  url: string;
  apiKey: Secret | undefined;
}

const readTimeoutMs = 8000;
const maxAnswerBytes = 1024 * 1024;
const [maxPages, pageSize] = [5, 200];
const toolsTtlMs = 300_000;

export function createToolProvider(options: ToolProviderOptions): ToolProvider {
  const tools = new LRUCache<string, ProviderTool>({ max: 1000, ttl: toolsTtlMs });
  const read = <Shape extends z.ZodType>(path: string, shape: Shape) =>
    request(options, { method: 'GET', path }, shape);

  return {
    listToolkits: (search) =>
      readAll(options, `/toolkits?${search ? `search=${name(search)}` : 'sort_by=usage'}`, ProviderToolkit),
    getToolkit: (toolkit) => read(`/toolkits/${name(toolkit)}`, ProviderToolkit),
    listTools: (toolkit) => readAll(options, `/tools?toolkit_slug=${name(toolkit)}`, ProviderTool),
    getTool: async (tool) => {
      const cachedTool = tools.get(tool);
      if (cachedTool) return cachedTool;
      const providerTool = await read(`/tools/${name(tool)}`, ProviderTool);
      tools.set(tool, providerTool);
      return providerTool;
    },
    link: async ({ toolkit, userId, callbackUrl }) => {
      const body = {
        auth_config_id: await authConfigOf(options, toolkit),
        user_id: userId,
        ...(callbackUrl ? { callback_url: callbackUrl } : {}),
      };
      const linked = await request(
        options,
        { method: 'POST', path: '/connected_accounts/link', body },
        ProviderLink,
      );
      return { redirectUrl: linked.redirect_url, accountId: linked.connected_account_id };
    },
    getAccount: (id) => read(`/connected_accounts/${name(id)}`, ProviderAccount),
    deleteAccount: async (id) => {
      const path = `/connected_accounts/${name(id)}`;
      await request(options, { method: 'DELETE', path }, z.unknown()).catch((error: unknown) => {
        if (!(error instanceof ToolProviderError) || error.fault !== 'not found') throw error;
      });
    },
    execute: ({ tool, account, arguments: given, signal }) =>
      request(
        options,
        {
          method: 'POST',
          path: `/tools/execute/${name(tool)}`,
          rawBody: `{${accountField(account)},"arguments":${given}}`,
          signal,
          isEffect: true,
        },
        ProviderResult,
      ),
  };
}

const name = encodeURIComponent;

/** Reads all pages, up to a limit. Malformed items are skipped, since they are unusable. */
async function readAll<Shape extends z.ZodType>(
  options: ToolProviderOptions,
  path: string,
  item: Shape,
): Promise<z.output<Shape>[]> {
  const items: z.output<Shape>[] = [];
  let next = '';
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await request(
      options,
      { method: 'GET', path: `${path}&limit=${pageSize}${next}` },
      pageOf,
    );
    items.push(...answer.items.flatMap((one) => item.safeParse(one).data ?? []));
    if (!answer.next_cursor || answer.items.length === 0) break;
    next = `&cursor=${name(answer.next_cursor)}`;
  }
  return items;
}

/** A toolkit's authorization method: the operator's at the provider, or the provider's own. */
async function authConfigOf(options: ToolProviderOptions, toolkit: string): Promise<string> {
  const path = `/auth_configs?toolkit_slug=${name(toolkit)}&limit=20`;
  const { items } = await request(options, { method: 'GET', path }, pageOf);
  const configs = items.flatMap((one) => authConfig.safeParse(one).data ?? []);
  const usable = configs.find(({ status }) => !status || status.toUpperCase() === 'ENABLED');
  if (usable) return usable.id;
  const body = { toolkit: { slug: toolkit }, auth_config: { type: 'use_composio_managed_auth' } };
  const made = z.object({ auth_config: authConfig });
  return (await request(options, { method: 'POST', path: '/auth_configs', body }, made)).auth_config.id;
}

const pageOf = z.object({ items: z.array(z.unknown()).max(1000), next_cursor: z.string().nullish() });

const accountField = (account: ToolExecutionOrder['account']): string =>
  'accountId' in account
    ? `"connected_account_id":${JSON.stringify(account.accountId)}`
    : `"user_id":${JSON.stringify(account.userId)}`;

interface ProviderCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  rawBody?: string;
  signal?: AbortSignal;
  /** The call has effects, which are unknown if its response is lost. */
  isEffect?: boolean;
}

async function request<Shape extends z.ZodType>(
  { url, apiKey }: ToolProviderOptions,
  { method, path, body, rawBody, signal, isEffect = false }: ProviderCall,
  shape: Shape,
): Promise<z.output<Shape>> {
  if (!apiKey) throw new ToolProviderError('unavailable', 'TOOL_INTEGRATIONS_API_KEY is not set');
  const lost = isEffect ? 'unclear' : 'unavailable';
  const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  let status: number;
  let content: Buffer;
  let headers: Headers;
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'error',
      signal: signal ?? AbortSignal.timeout(readTimeoutMs),
      headers: {
        'x-api-key': apiKey.reveal(),
        accept: 'application/json',
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    ({ status, headers } = answer);
    content = await readBounded(answer, maxAnswerBytes);
  } catch (error) {
    const fault = foundNoConnection(error) ? 'unavailable' : lost;
    throw new ToolProviderError(fault, 'the tool provider did not answer', { cause: error });
  }
  const parsed = await tryReadJson(content, { owner: 'tool provider' });
  if (status >= 300) throw faultOf({ status, headers }, parsed, lost);
  const read = shape.safeParse(parsed);
  if (!read.success)
    throw new ToolProviderError(lost, 'the response of the tool provider has an unexpected shape');
  return read.data;
}

const ErrorBody = z.object({ error: z.object({ message: z.string() }) });
const longestRetryMs = 600_000;

function faultOf(
  { status, headers }: { status: number; headers: Headers },
  parsed: unknown,
  lost: ToolProviderFault,
): ToolProviderError {
  const words = ErrorBody.safeParse(parsed).data?.error.message ?? '';
  const message = `${status} ${withoutSecrets(storable(words.slice(0, 500)))}`.trim();
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') || Number.NaN);
    const retryAfterMs = seconds >= 0 ? Math.min(seconds * 1000, longestRetryMs) : undefined;
    return new ToolProviderError('limited', message, { retryAfterMs });
  }
  if (status === 404 || status === 410) return new ToolProviderError('not found', message);
  // An internal fault, not the tenant's: the platform's key is wrong.
  if (status === 401) return new ToolProviderError('unavailable', message);
  return new ToolProviderError(status >= 500 || status < 400 ? lost : 'refused', message);
}
