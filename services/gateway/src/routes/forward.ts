import type { IncomingMessage, ServerResponse } from 'node:http';
import { identityHeader } from '@botyard/shared/auth/identity';
import { networkOf } from '@botyard/shared/http/client-address';
import { onlyCookies } from '@botyard/shared/http/cookies';
import { HttpError, notFound } from '@botyard/shared/http/errors';
import type { Routed } from '@botyard/shared/http/request-context';
import { currentContext } from '@botyard/shared/tracing/context';
import proxyAddr from 'proxy-addr';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../domain/client-address.ts';
import { forwardedHeaders } from '../domain/forwarded-headers.ts';
import { surfaceOf } from '../domain/gate.ts';
import { nameOf } from '../domain/principal.ts';
import type { Destination } from '../domain/routing-table.ts';
import { admit } from './admit.ts';

/** Authenticates a request, forwards it to the service in the routing table, and returns its answer. */
type Forward = (req: Routed, res: ServerResponse, path: string) => Promise<void>;

export function createForward(deps: Deps): Forward {
  const { findDestination, upstreams, metrics } = deps;
  const isTrusted = proxyAddr.compile([...deps.trustedProxies]);
  const failures = metrics.counter(
    'gateway_upstream_failures_total',
    'Requests that a service did not answer',
    ['upstream', 'status'],
  );
  return async (req, res, path) => {
    const address = clientAddress(proxyAddr(req, isTrusted), req.socket.remoteAddress);
    const principal = await admit(deps, req, { res, path });
    const destination = findDestination(path);
    if (!destination) throw notFound('path');
    const { service } = destination;
    req.route = { path: destination.basePath };
    refuseOddities(req);
    const headers = headersFor(req, path, destination);
    headers[identityHeader] = await principal.signedFor(service);
    headers['x-forwarded-for'] = address;
    try {
      const person = nameOf(principal.identity);
      const enter = () => deps.requestsInFlight.enter({ method: req.method, path, person, address });
      const caller = person ?? networkOf(address);
      const isForPages = surfaceOf(path) === 'webhooks';
      await upstreams[service].forward(req, res, { headers, caller, isForPages, enter });
    } catch (error) {
      // A client that has left waits for no answer, and the service has not failed.
      if (res.destroyed) return;
      failures.inc({ upstream: service, status: error instanceof HttpError ? error.status : 500 });
      throw error;
    }
  };
}

function refuseOddities({ headers }: IncomingMessage): void {
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    throw new HttpError(501, 'this transfer encoding is not supported');
  }
}

function headersFor(req: IncomingMessage, path: string, { cookies }: Destination): Record<string, string> {
  const headers = forwardedHeaders(req.headers, surfaceOf(path));
  const cookie = onlyCookies(req.headers.cookie, cookies);
  if (cookie) headers.cookie = cookie;
  const context = currentContext();
  if (context) {
    headers['x-request-id'] = context.requestId;
    headers.traceparent = context.traceparent;
  }
  return headers;
}
