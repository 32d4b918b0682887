import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * These ports are below the range that systems use for outgoing connections. No client can take the port of a
 * restarting server, and a client that retries can't connect to itself.
 */
const lowest = 15_000;
const highest = 32_000;

/** Returns the error code if this process can't listen on the port, usually `EADDRINUSE` or `EACCES`. */
export async function portFault(port: number, host: string): Promise<string | undefined> {
  try {
    await close(await listen(port, host));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
  }
}

/** Ports that this process has handed out. They look free until their receivers listen on them. */
const handedOut = new Set<number>();

/** Returns ports that are free on loopback and have not been handed out by this process before. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count && attempt < 1000; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (handedOut.has(port)) continue;
    const server = await listen(port, '127.0.0.1').catch(() => undefined);
    if (!server) continue;
    servers.push(server);
    ports.push(port);
    handedOut.add(port);
  }
  await Promise.all(servers.map(close));
  if (ports.length < count)
    throw new Error(
      'no free port was found on 127.0.0.1: stop processes that listen on ports from 15000 to 32000',
    );
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined)
    throw new Error(
      'no free port was found on 127.0.0.1: stop processes that listen on ports from 15000 to 32000',
    );
  return port;
}

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
