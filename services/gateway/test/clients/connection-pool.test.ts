import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ConnectionPool, type PooledConnection } from '../../src/clients/connection-pool.ts';

const poolOf = (most: number) =>
  new ConnectionPool({
    origin: 'http://127.0.0.1:1',
    most,
    maxFree: most,
    isInTurn: false,
    connect: async () => new Socket(),
  });

test('a caller who holds as many connections as one may have leaves some to others', async () => {
  const pool = poolOf(10);
  const requests = Array.from({ length: 20 }, () => pool.acquire('slow sender'));
  await Promise.all(requests.slice(0, 9));
  const other = await pool.acquire('somebody else');
  pool.release(other);
});

test('callers take turns for connections, whatever the number of requests that each has', async () => {
  const pool = poolOf(2);
  const held = await Promise.all([pool.acquire('slow sender'), pool.acquire('slow sender')]);
  const order: string[] = [];
  const wait = (caller: string): Promise<PooledConnection> =>
    pool.acquire(caller).then((connection) => {
      order.push(caller);
      return connection;
    });
  const many = Array.from({ length: 5 }, () => wait('slow sender'));
  const one = wait('somebody else');
  for (const connection of held) pool.release(connection);
  await Promise.all([one, many[0]]);
  expect(order).toEqual(['somebody else', 'slow sender']);
});
