import { connect, createServer, type Server, type Socket } from 'node:net';
import { createDatabase, type Database, withPlatform } from '@botyard/shared/db/database';
import { isConnectionFailure } from '@botyard/shared/db/failures';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Postgres behind a server that holds its answers until it is released. */
class SlowServer {
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  connections = 0;
  #isSlow = true;

  constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      this.connections += 1;
      const upstream = connect(target);
      client.pipe(upstream);
      if (this.#isSlow) this.#held.push(() => upstream.pipe(client));
      else upstream.pipe(client);
      const end = (socket: Socket) => () => socket.destroy();
      client.on('error', end(upstream)).on('close', end(upstream));
      upstream.on('error', end(client)).on('close', end(client));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as { port: number }).port;
  }

  goOn(): void {
    this.#isSlow = false;
    for (const pass of this.#held) pass();
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let harness: ServiceHarness;
let server: SlowServer;
let database: Database;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  const url = new URL(harness.databaseUrl('tenancy'));
  server = new SlowServer({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${await server.listen()}`;
  database = createDatabase({
    url: url.toString(),
    applicationName: 'test-slow-login',
    maxConnections: 1,
    acquireTimeoutMs: 200,
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await server?.close();
  await harness?.close();
});

const ask = () =>
  withPlatform(database, 'test', (tx) => tx.query({ name: 'test.one', text: 'select 1 as one', values: [] }));

test('a caller that waited for its turn is told its whole time limit, not what was left of it', async () => {
  const first = ask().catch(() => undefined);
  await eventually('the first caller waits for a connection', () => server.connections === 1);
  await expect(database.ping()).rejects.toThrow('no database connection is free within 200 ms');
  await first;
});

test('F-82: a login that takes longer than callers wait continues without them, and serves later callers', async () => {
  for (let call = 0; call < 3; call += 1) {
    const error: unknown = await ask().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ status: 503, message: 'the database does not answer' });
    expect(isConnectionFailure(error)).toBe(true);
  }
  await expect(database.ping()).rejects.toThrow('no database connection is free within 200 ms');
  server.goOn();
  await eventually('the login is done', () => database.pool.idleCount === 1);
  expect(await ask()).toEqual([{ one: 1 }]);
  await database.ping();
  expect(server.connections).toBe(1);
});
