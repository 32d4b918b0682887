import { createServer } from 'node:net';
import { checkServers } from '@botyard/shared/service/server-check';
import { expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../tools/embedded/free-port.ts';

test('a server that can not be reached is named with its setting, without its password, and ends no start', async () => {
  const port = await freePort();
  const faults = await checkServers({
    NATS_URL: `nats://user:hidden-one@127.0.0.1:${port}`,
    DATABASE_URL: `postgres://user:hidden-one@127.0.0.1:${port}/none`,
  });
  expect(faults).toEqual([
    expect.stringMatching(/^NATS can't be reached: .*NATS_URL\.$/),
    expect.stringMatching(/^Postgres can't be used: .*DATABASE_URL\.$/),
  ]);
  expect(faults.join()).not.toContain('hidden-one');
});

test('a server that accepts the connection and never answers is reported too', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  expect(
    await checkServers({
      NATS_URL: `nats://127.0.0.1:${port}`,
      DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    }),
  ).toEqual([expect.stringContaining('NATS_URL'), expect.stringContaining('DATABASE_URL')]);
});

test('reachable servers are not reported', async () => {
  expect(await checkServers({ NATS_URL: inject('natsUrl'), DATABASE_URL: inject('postgresUrl') })).toEqual(
    [],
  );
});
