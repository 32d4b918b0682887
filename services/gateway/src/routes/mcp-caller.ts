import type { IncomingMessage, ServerResponse } from 'node:http';
import { identityHeader } from '@botyard/shared/auth/identity';
import { notFound } from '@botyard/shared/http/errors';
import { currentContext } from '@botyard/shared/tracing/context';
import type { Deps } from '../deps.ts';
import type { ToolAnswer, ToolCaller, ToolRequest } from '../domain/mcp-call.ts';
import { nameOf, type Principal } from '../domain/principal.ts';
import { parseTarget } from '../domain/request-target.ts';

/** More of one answer is nothing that a model can read. */
const maxAnswerBytes = 1024 * 1024;
/** A trial is a stream, which has no deadline of its own. */
const callWithinMs = 150_000;

interface Call {
  principal: Principal;
  address: string;
  req: IncomingMessage;
  res: ServerResponse;
}

/**
 * The caller of a tool. Each request of a tool passes the routing table, the person's limit of requests and the
 * service's checks with the identity of the caller, like a request that comes from outside; it ends when they leave.
 */
export function toolCallerOf(deps: Deps, call: Call): ToolCaller {
  return {
    mayWrite: call.principal.grant === 'all',
    tenantId: tenantHeaderOf(call.req),
    send: (request) => send(deps, call, request),
  };
}

async function send(
  deps: Deps,
  { principal, address, req, res }: Call,
  request: ToolRequest,
): Promise<ToolAnswer> {
  const path = parseTarget(request.path)?.path ?? '';
  const destination = deps.findDestination(path);
  if (!destination) throw notFound('path');
  const { service } = destination;
  const headers = headersFor(req, request);
  headers[identityHeader] = await principal.signedFor(service);
  headers['x-forwarded-for'] = address;
  const person = nameOf(principal.identity);
  const enter = () => deps.requestsInFlight.enter({ method: request.method, path, person, address });
  const left = new AbortController();
  const leave = () => left.abort();
  res.once('close', leave);
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(callWithinMs)]);
  const passed = { headers, caller: person ?? address, enter };
  const answer = await deps.upstreams[service]
    .call(request, passed, { maxBytes: maxAnswerBytes, signal })
    .finally(() => res.off('close', leave));
  return { status: answer.statusCode, body: answer.body, link: answer.header('link') };
}

function headersFor(req: IncomingMessage, { body }: ToolRequest): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  const tenantId = tenantHeaderOf(req);
  const language = req.headers['accept-language'];
  if (tenantId !== undefined) headers['x-tenant-id'] = tenantId;
  if (language !== undefined) headers['accept-language'] = language;
  if (body) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(body.length);
  }
  const context = currentContext();
  if (context) {
    headers['x-request-id'] = context.requestId;
    headers.traceparent = context.traceparent;
  }
  return headers;
}

function tenantHeaderOf({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-tenant-id'];
  return typeof value === 'string' ? value : undefined;
}
