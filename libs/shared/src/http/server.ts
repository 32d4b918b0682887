import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface Traffic {
  latest: Map<Socket, ServerResponse>;
  isDraining: boolean;
  lastRequestAt: number;
}

const trafficOf = new WeakMap<Server, Traffic>();

/** A server with explicit limits (REQ-REL-12). */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      // Frequent, so that many expired connections aren't all closed at the same moment.
      connectionsCheckingInterval: 500,
      maxHeaderSize: 16 * 1024,
    },
    listener,
  );
  server.maxHeadersCount = 100;
  trackResponses(server);
  return server;
}

/** Keeps one entry per connection: a set of responses, changed at each request, would burden the garbage collector. */
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
 * Keeps answering requests, and asks every client to close its connection, until none arrive for a moment or the time
 * limit is reached. Closing the server then interrupts no client that is sending.
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

/** Ends event streams. Their clients reconnect and send their position, so nothing is lost. */
function endStreams({ latest }: Traffic): void {
  for (const res of latest.values())
    if (String(res.getHeader('content-type')).startsWith('text/event-stream')) res.end();
}

/** Resolves with the bound port. @throws if the address can't be bound. */
export function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      // A connection could not be accepted, for example without a free file descriptor: its client retries.
      server.on('error', () => undefined);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Stops accepting connections and waits for running requests up to the time limit. Their responses say `Connection:
 * close`, so that no client sends its next request on a connection that ends.
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
  // For connections whose last response had already begun.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
