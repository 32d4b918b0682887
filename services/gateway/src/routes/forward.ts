import { identityHeader } from '@botyard/shared/auth/identity';
import { onlyCookies } from '@botyard/shared/http/cookies';
import { HttpError, notFound } from '@botyard/shared/http/errors';
import { currentContext } from '@botyard/shared/tracing/context';
import type { Request, RequestHandler } from 'express';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../domain/client-address.ts';
import { forwardedHeaders } from '../domain/forwarded-headers.ts';
import { surfaceOf } from '../domain/gate.ts';
import type { Principal } from '../domain/principal.ts';
import type { Destination } from '../domain/routing-table.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Hands an admitted request to the service that the routing table names. */
export const forward = ({ findDestination, upstreams, metrics }: Deps): RequestHandler => {
  const failures = metrics.counter(
    'gateway_upstream_failures_total',
    'Requests that a service did not answer',
    ['upstream', 'status'],
  );
  return async (req, res) => {
    const destination = findDestination(res.locals.path);
    if (!destination) throw notFound('path');
    const { service } = destination;
    req.route = { path: destination.basePath };
    refuseOddities(req);
    const headers = await headersFor(req, res.locals.path, res.locals.principal, destination);
    try {
      await upstreams[service].forward(req, res, headers);
    } catch (error) {
      failures.inc({ upstream: service, status: error instanceof HttpError ? error.status : 500 });
      throw error;
    }
  };
};

function refuseOddities(req: Request): void {
  if (!methods.includes(req.method)) throw new HttpError(405, 'this method is not supported');
  const encoding = req.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    throw new HttpError(501, 'this transfer encoding is not supported');
  }
}

async function headersFor(
  req: Request,
  path: string,
  principal: Principal,
  { service, cookies }: Destination,
): Promise<Record<string, string>> {
  const headers = forwardedHeaders(req.headers, surfaceOf(path));
  const cookie = onlyCookies(req.headers.cookie, cookies);
  if (cookie) headers.cookie = cookie;
  headers[identityHeader] = await principal.signedFor(service);
  headers['x-forwarded-for'] = clientAddress(req.ip, req.socket.remoteAddress);
  const context = currentContext();
  if (context) {
    headers['x-request-id'] = context.requestId;
    headers.traceparent = context.traceparent;
  }
  return headers;
}
