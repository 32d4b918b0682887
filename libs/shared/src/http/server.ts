import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const latestOf = new WeakMap<Server, Map<Socket, ServerResponse>>();

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

/** One entry for each connection: a set of responses, changed at each request, keeps the collector busy. */
function trackResponses(server: Server): void {
  const latest = new Map<Socket, ServerResponse>();
  latestOf.set(server, latest);
  server.on('connection', (socket) => socket.once('close', () => latest.delete(socket)));
  server.prependListener('request', (req, res) => {
    if (!server.listening) res.shouldKeepAlive = false;
    latest.set(req.socket, res);
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
  for (const res of latestOf.get(server)?.values() ?? []) if (!res.headersSent) res.shouldKeepAlive = false;
  server.closeIdleConnections();
  // For connections whose last answer had begun before.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
