import { forbidden, HttpError, notFound } from '@botyard/shared/http/errors';
import { JsonError } from '@botyard/shared/json/parse-json';
import { readJson } from '@botyard/shared/json/read-json';
import { Semaphore } from '@botyard/shared/work/semaphore';
import { SharedBudget } from '@botyard/shared/work/shared-budget';
import type { Request as HttpRequest, Response as HttpResponse, RequestHandler } from 'express';
import proxyAddr from 'proxy-addr';
import type { Deps } from '../deps.ts';
import { scopes } from '../domain/access-token.ts';
import { clientAddress } from '../domain/client-address.ts';
import { createMcpServer, type McpTool } from '../domain/mcp-server.ts';
import { nameOf } from '../domain/principal.ts';
import { isUnder } from '../domain/request-target.ts';
import { admit, mcpPath } from './admit.ts';
import { toolCallerOf } from './mcp-caller.ts';

const maxBodyBytes = 256 * 1024;
/** Limits for all callers together, and for one person. */
const maxBytesAtOnce = 64 * 1024 * 1024;
const maxBytesOfOne = 8 * 1024 * 1024;
/** All callers together have this many calls at work, and one person a few of them. */
const maxCalls = 200;
const limits = {
  maxOfOne: 8,
  maxWaitMs: 5000,
  maxWaitingOfOne: 100,
  maxWaiting: 1000,
  busy: 'too many calls of the MCP server are in progress: try again',
};

/** `POST /api/mcp`: the API as tools of an MCP server, behind the gate. */
export const answerMcp = (deps: Deps): RequestHandler => {
  const calls = deps.metrics.counter('gateway_mcp_calls_total', 'Calls of tools of the MCP server', [
    'tool',
    'outcome',
  ]);
  const serve = createMcpServer({
    tools: deps.mcpTools,
    version: deps.instance.version,
    onCall: (tool, outcome) => calls.inc({ tool, outcome }),
  });
  const slots = new Semaphore(maxCalls, limits);
  const bodies = new SharedBudget({ max: maxBytesAtOnce, what: 'bytes of messages' });
  const isTrusted = proxyAddr.compile([...deps.trustedProxies]);
  return async (req, res, next) => {
    const { path } = res.locals;
    if (!isUnder(path, mcpPath)) return next();
    refuseForeignOrigin(req, deps.publicOrigin);
    const principal = await admit(deps, req, { res, path });
    if (path !== mcpPath) throw notFound('path');
    req.route = { path: mcpPath };
    refuseOddities(req, res);
    const address = clientAddress(proxyAddr(req, isTrusted), req.socket.remoteAddress);
    const owner = nameOf(principal.identity) ?? address;
    // Read before the call counts: slow senders would keep others waiting.
    const giveBack = bodies.take([{ owner, max: maxBytesOfOne }], maxBodyBytes);
    let leave = () => undefined as void;
    try {
      const bytes = await readBody(req, res);
      leave = await slots.acquire(owner);
      const message = await parseMessage(bytes, owner);
      if (principal.grant !== 'all') refuseWriting(message, deps.mcpTools, res);
      const caller = toolCallerOf(deps, { principal, address, req, res });
      await passOn(await serve(requestOf(req), message, caller), res);
    } finally {
      leave();
      giveBack();
    }
  };
};

/** A page of another site must not call tools with what a browser adds. Programs send no `Origin`. */
function refuseForeignOrigin({ headers: { origin } }: HttpRequest, publicOrigin: string): void {
  if (origin !== undefined && origin !== publicOrigin)
    throw forbidden('pages of other origins may not call this');
}

function refuseOddities({ method, headers }: HttpRequest, res: HttpResponse): void {
  if (method !== 'POST') {
    res.setHeader('Allow', 'POST');
    throw new HttpError(405, 'messages can only be posted');
  }
  if (headers['content-encoding'] !== undefined)
    throw new HttpError(415, 'send the body without Content-Encoding');
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpError(415, 'the body must be application/json');
}

async function readBody(req: HttpRequest, res: HttpResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) {
      // The rest isn't read just to reuse the connection.
      res.shouldKeepAlive = false;
      throw new HttpError(413, 'the body is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** One message: neither era of the protocol has batches. */
async function parseMessage(bytes: Buffer, owner: string): Promise<object> {
  try {
    const message = await readJson(bytes, { owner });
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.fault === 'values') throw new HttpError(413, 'the body has too many values');
  }
  throw new HttpError(400, 'the body must be one JSON-RPC message');
}

/** Answered here and not as a tool's result, so that a client can ask its person for the scope. */
function refuseWriting(message: object, tools: readonly McpTool[], res: HttpResponse): void {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null };
  const tool = method === 'tools/call' ? tools.find(({ name }) => name === params?.name) : undefined;
  if (!tool || tool.readsOnly) return;
  res.setHeader(
    'WWW-Authenticate',
    `Bearer error="insufficient_scope", scope="${scopes.read} ${scopes.write}"`,
  );
  throw forbidden(`the access token lacks the scope ${scopes.write}, which ${tool.name} needs`);
}

/** The headers of the protocol; the message was read already. */
function requestOf({ headers }: HttpRequest): Request {
  const passed = new Headers();
  for (const name of [
    'accept',
    'content-type',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
  ]) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('mcp-param-') && typeof value === 'string') passed.set(name, value);
  return new Request(`http://gateway.invalid${mcpPath}`, { method: 'POST', headers: passed });
}

async function passOn(answer: Response, res: HttpResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  if (res.destroyed) return;
  const type = answer.headers.get('content-type');
  if (type !== null) res.setHeader('Content-Type', type);
  res.status(answer.status).end(body);
}
