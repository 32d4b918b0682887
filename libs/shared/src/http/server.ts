import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface Traffic {
  latest: Map<Socket, ServerResponse>;
  isDraining: boolean;
  lastRequestAt: number;
}

const trafficOf = new WeakMap<Server, Traffic>();

/** A server with every limit written down (REQ-REL-12). */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      // Often, so that many whose time is up aren't closed all in one moment.
      connectionsCheckingInterval: 500,
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
  const traffic: Traffic = { latest, isDraining: false, lastRequestAt: 0 };
  trafficOf.set(server, traffic);
  server.on('connection', (socket) => socket.once('close', () => latest.delete(socket)));
  server.prependListener('request', (req, res) => {
    if (traffic.isDraining || !server.listening) res.shouldKeepAlive = false;
    traffic.lastRequestAt = performance.now();
    latest.set(req.socket, res);
  });
}

const quietMs = 200;
const lookEveryMs = 20;

/**
 * Still answers requests, and asks every client to close its connection, until there are none for a moment: at most
 * this long. Closing the server then interrupts no client in the middle of sending.
 */
export async function drainServer(server: Server, maxMs: number): Promise<void> {
  const traffic = trafficOf.get(server);
  if (!traffic || !server.listening) return;
  traffic.isDraining = true;
  endAfterAnswer(traffic);
  endStreams(traffic);
  const beganAt = performance.now();
  const isQuiet = () => {
    const isBusy = [...traffic.latest.values()].some((res) => !res.writableFinished && !res.destroyed);
    return !isBusy && performance.now() - Math.max(beganAt, traffic.lastRequestAt) > quietMs;
  };
  while (!isQuiet() && performance.now() - beganAt < maxMs)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
}

function endAfterAnswer({ latest }: Traffic): void {
  for (const res of latest.values()) if (!res.headersSent) res.shouldKeepAlive = false;
}

/** Nothing is lost by it: their clients come again, and say where they were. */
function endStreams({ latest }: Traffic): void {
  for (const res of latest.values())
    if (String(res.getHeader('content-type')).startsWith('text/event-stream')) res.end();
}

/** Resolves with the port that was bound. @throws when the address can't be taken. */
export function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      // A connection that could not be taken, as without a free file descriptor: its client comes again.
      server.on('error', () => undefined);
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
  const traffic = trafficOf.get(server);
  if (traffic) {
    endAfterAnswer(traffic);
    endStreams(traffic);
  }
  server.closeIdleConnections();
  // For connections whose last answer had begun before.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
