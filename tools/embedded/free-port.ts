import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the range that systems hand out to outgoing connections: a server that is restarted on such a port can't find
 * it taken by a client, and a client that retries can't connect to itself.
 */
const lowest = 15_000;
const highest = 32_000;

/** Whether this process could listen there now. `EADDRINUSE` and `EACCES` are the usual answers when not. */
export async function portFault(port: number, host: string): Promise<string | undefined> {
  try {
    await close(await listen(port, host));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
  }
}

/** Handed out by this process. Whoever got them may not listen yet, so they look free. */
const handedOut = new Set<number>();

/** Ports that were free on loopback a moment ago, and that this process has handed out to nobody else. */
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
  if (ports.length < count) throw new Error('no free port was found on 127.0.0.1');
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no free port was found on 127.0.0.1');
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
