import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const runningOf = new WeakMap<Server, Set<ServerResponse>>();

/** A server with every limit written down (reliability, rule 12). */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
    },
    listener,
  );
  server.maxHeadersCount = 100;
  trackResponses(server);
  return server;
}

function trackResponses(server: Server): void {
  const running = new Set<ServerResponse>();
  runningOf.set(server, running);
  server.prependListener('request', (_req, res) => {
    if (!server.listening) res.shouldKeepAlive = false;
    running.add(res);
    res.once('close', () => running.delete(res));
  });
}

/** Resolves with the port that was bound. @throws when the address can't be taken. */
export function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Stops accepting and waits for running requests, at most this long. Their answers say `Connection: close`,
 * so that no client sends its next request into a connection that ends.
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const res of runningOf.get(server) ?? []) if (!res.headersSent) res.shouldKeepAlive = false;
  server.closeIdleConnections();
  // For connections whose last answer had begun before.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
