import { HttpError } from '@botyard/shared/http/errors';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import type { Tool } from './mcp-tools.ts';
import { parseTarget } from './request-target.ts';

/** A request that a tool makes, before the caller's headers. */
export interface ToolRequest {
  method: string;
  /** With the query. */
  path: string;
  body: Buffer | null;
}

/** The answer of a service to it. */
export interface ToolAnswer {
  status: number;
  body: string;
  /** The header of a list that has another page. */
  link: string | undefined;
}

interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** The caller of a tool. */
export interface ToolCaller {
  readonly mayWrite: boolean;
  /** The tenant that the request names by `X-Tenant-Id`. */
  readonly tenantId: string | undefined;
  /** @throws HttpError when no service answers. */
  send(request: ToolRequest): Promise<ToolAnswer>;
}

/** Runs a tool as the request that it stands for. Refusals and faults are results that a model can read. */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  caller: ToolCaller,
): Promise<ToolResult> {
  if (!tool.readsOnly && !caller.mayWrite) return failure('the access token lacks the scope botyard:write');
  try {
    const tenantId = tool.tenantIn === null ? null : await tenantOf(caller);
    const answer = await caller.send(requestFor(tool, args, tenantId));
    return tool.isStream ? resultOfStream(answer) : resultOf(answer);
  } catch (error) {
    if (error instanceof HttpError) return failure(error.message, error.issues);
    throw error;
  }
}

/** The tenant for a route that takes one: that of the header, else the active one. */
async function tenantOf({ tenantId, send }: ToolCaller): Promise<string> {
  if (tenantId !== undefined) return tenantId;
  const { status, body } = await send({ method: 'GET', path: '/api/current-user', body: null });
  const { activeTenantId = null } =
    status === 200 ? (parseForeignJson(Buffer.from(body)) as { activeTenantId?: string | null }) : {};
  if (activeTenantId === null) throw new HttpError(403, 'name the tenant in the header X-Tenant-Id');
  return activeTenantId;
}

/** @throws HttpError 400 for arguments that are no address. */
function requestFor(tool: Tool, args: Record<string, unknown>, tenantId: string | null): ToolRequest {
  const names = new Set([...tool.pathNames, ...tool.queryNames, ...tool.bodyNames]);
  const unknown = Object.keys(args).filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new HttpError(400, `there is no argument ${unknown.join(', ').slice(0, 200)}`);
  const segmentOf = (name: string) => (name === 'tenantId' ? tenantId : args[name]);
  const path = tool.path.replace(/:(\w+)/g, (_, name: string) => asSegment(name, segmentOf(name)));
  const query = new URLSearchParams();
  if (tool.tenantIn === 'query' && tenantId !== null) query.set('tenantId', tenantId);
  for (const name of tool.queryNames) if (args[name] !== undefined) query.set(name, asText(name, args[name]));
  const target = query.size === 0 ? path : `${path}?${query}`;
  if (!parseTarget(target)) throw new HttpError(400, 'the arguments are too long, or no valid identifiers');
  if (!tool.hasBody) return { method: tool.method, path: target, body: null };
  const fields = Object.fromEntries(
    tool.bodyNames.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])),
  );
  return { method: tool.method, path: target, body: Buffer.from(JSON.stringify(fields)) };
}

/** One segment of a path, and never two or the one above. */
function asSegment(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}$/.test(value)) return value;
  throw new HttpError(400, `${name} must be an identifier`);
}

function asText(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new HttpError(400, `${name} must be a text or a number`);
}

function resultOf({ status, body, link }: ToolAnswer): ToolResult {
  if (status >= 400) return failureOf(body);
  const next = nextPage(link);
  const more =
    next === undefined
      ? []
      : [{ type: 'text' as const, text: `There are more: call again with before=${next}` }];
  return { content: [{ type: 'text', text: body === '' ? 'done' : body }, ...more] };
}

/** The last event of a trial is its result. */
function resultOfStream({ status, body }: ToolAnswer): ToolResult {
  if (status >= 400) return failureOf(body);
  const last = body.trimEnd().split('\n\n').at(-1) ?? '';
  const event = /^event: ?(\w+)$/m.exec(last)?.[1];
  const data = [...last.matchAll(/^data: ?(.*)$/gm)].map(([, line = '']) => line).join('\n');
  if (event === 'done') return { content: [{ type: 'text', text: data }] };
  return event === 'error' ? failure(data) : failure('the answer ended early: try again');
}

/** The body of an error is `{ error, issues? }`, which a model understands as it is. */
const failureOf = (body: string): ToolResult => ({ content: [{ type: 'text', text: body }], isError: true });

const failure = (error: string, issues?: HttpError['issues']): ToolResult =>
  failureOf(JSON.stringify(issues ? { error, issues } : { error }));

function nextPage(link: string | undefined): string | undefined {
  const target = /<([^>]+)>; ?rel="next"/.exec(link ?? '')?.[1];
  return target === undefined
    ? undefined
    : (new URL(target, 'http://api.invalid').searchParams.get('before') ?? undefined);
}
