import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { instanceHeader } from '@botyard/shared/system/process-contract';
import { eventually } from '@botyard/testing/eventually';
import { afterEach, describe, expect, test } from 'vitest';
import { Connections } from '../../src/clients/connections.ts';

const servers: Server[] = [];
const opened: Connections[] = [];
afterEach(() => {
  for (const connections of opened.splice(0)) connections.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(name: string, port = 0): Promise<{ url: string; port: number; server: Server }> {
  const server = createServer((_req, res) => res.setHeader(instanceHeader, name).end(name));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, port: bound, server };
}

function connect(urls: string[], isExpectedBack = () => false): Connections {
  const connections = new Connections({ urls, maxConnections: 100, connectTimeoutMs: 500, isExpectedBack });
  opened.push(connections);
  return connections;
}

type PoolName = 'pool' | 'streamedPool';

async function send(connections: Connections, poolName: PoolName): Promise<string> {
  const pool = connections[poolName];
  const connection = await pool.acquire('person');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  connection.client.dispatch(
    { method: 'GET', path: '/' },
    {
      onRequestStart: () => {},
      onResponseData: () => {},
      onResponseStart: (_controller, _status, headers) => {
        const name = String(headers[instanceHeader]);
        if (connection.socket) connections.noteAnswer(connection.socket, name);
        resolve(name);
      },
      onResponseEnd: () => pool.release(connection),
      onResponseError: (_controller, error) => {
        pool.release(connection);
        reject(error);
      },
    },
  );
  return await promise;
}

const closePort = async ({ server }: { server: Server }) => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};

describe.each<[string, PoolName]>([
  ['streamed', 'streamedPool'],
  ['short', 'pool'],
])('for %s requests', (_kind, pool) => {
  test('all processes of a service get work, and one that has ended gets none', async () => {
    const [a, b] = await Promise.all([serve('a'), serve('b')]);
    const connections = connect([a.url, b.url]);
    const names = await Promise.all(Array.from({ length: 20 }, () => send(connections, pool)));
    expect(new Set(names)).toEqual(new Set(['a', 'b']));
    await closePort(a);
    await eventually('its connections are noticed as closed', async () => {
      const sockets = connections[pool].freeSockets() as Socket[];
      return sockets.every(({ destroyed, remotePort }) => destroyed || remotePort === b.port);
    });
    const later = await Promise.all(Array.from({ length: 20 }, () => send(connections, pool)));
    expect(new Set(later)).toEqual(new Set(['b']));
  });

  test('a process that announces its end gets nothing new, while it still listens', async () => {
    const [a, b] = await Promise.all([serve('a'), serve('b')]);
    const connections = connect([a.url, b.url]);
    await Promise.all(Array.from({ length: 20 }, () => send(connections, pool)));
    connections.noteDrain({ instanceId: 'a', state: 'draining' });
    const later = await Promise.all(Array.from({ length: 20 }, () => send(connections, pool)));
    expect(new Set(later)).toEqual(new Set(['b']));
  });

  test("every request waits for a service's only process while it restarts", async () => {
    const first = await serve('first');
    const connections = connect([first.url], () => true);
    expect(await send(connections, pool)).toBe('first');
    connections.noteDrain({ instanceId: 'first', state: 'draining' });
    const waiting = Promise.all(Array.from({ length: 10 }, () => send(connections, pool)));
    await closePort(first);
    connections.noteDrain({ instanceId: 'first', state: 'gone' });
    await serve('second', first.port);
    expect(new Set(await waiting)).toEqual(new Set(['second']));
  });

  test('a service that is down and not expected back fails immediately', async () => {
    const gone = await serve('gone');
    await closePort(gone);
    await expect(send(connect([gone.url]), pool)).rejects.toThrow(/ECONNREFUSED/);
  });
});
