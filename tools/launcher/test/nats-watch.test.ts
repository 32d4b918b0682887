import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../embedded/free-port.ts';
import { startNatsServer } from '../../embedded/nats-server.ts';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { watchNats } from '../processes/nats-watch.ts';
import { Supervisor } from '../processes/supervisor.ts';

const quickly = { lookEveryMs: 50, patienceMs: 400 };

/** A supervised server that is watched; `probedDir` stands for the disk that has to be writable. */
async function watched(probedDir?: string) {
  const starts: number[] = [];
  const supervisor = new Supervisor({
    onStart: (_, pid) => starts.push(pid),
    onDeath: () => undefined,
    onFailedRestart: () => undefined,
  });
  const storeDir = join(await temporaryDirectory(), 'nats');
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const options = { storeDir, port, monitorPort, users: [], log: () => undefined };
  const { url, monitorUrl } = await supervisor.keep({ name: 'nats', start: () => startNatsServer(options) });
  const ending = new AbortController();
  const said: string[] = [];
  const watching = watchNats(
    {
      monitorUrl,
      storeDir: probedDir ?? storeDir,
      restart: () => supervisor.restart('nats'),
      say: (line) => said.push(line),
    },
    ending.signal,
    quickly,
  );
  onTestFinished(async () => {
    ending.abort();
    await watching;
    supervisor.beginStop();
    await supervisor.stop(['nats']);
  });
  return { url, monitorUrl, starts, said };
}

test('F-44: a server that no longer answers is started again, and works', async () => {
  const { url, starts, said } = await watched();
  process.kill(starts[0]!, 'SIGSTOP');
  await eventually('it is started again', () => starts.length > 1);
  const connection = await connect({ servers: url });
  await connection.close();
  expect(said).toEqual([expect.stringMatching(/^is unhealthy \(.+\), restarting$/)]);
});

test('a server is not restarted while its disk is full, which is reported once, and is restarted afterwards', async () => {
  const disk = join(await temporaryDirectory(), 'not-there-yet');
  const { starts, said } = await watched(disk);
  process.kill(starts[0]!, 'SIGSTOP');
  await eventually('it is said', () => said.length > 0);
  expect(said).toEqual([`can't write to ${disk} (ENOENT): free some space; it is restarted afterwards`]);
  expect(starts).toHaveLength(1);
  await mkdir(disk);
  await eventually('it is started again', () => starts.length > 1);
  expect(said).toHaveLength(2);
});

test('a healthy server is not restarted', async () => {
  const { monitorUrl, starts, said } = await watched();
  const looks = async () => {
    const answer = await fetch(`${monitorUrl}/varz`);
    const { http_req_stats: requests } = (await answer.json()) as { http_req_stats: Record<string, number> };
    return requests['/healthz'] ?? 0;
  };
  await eventually('it was looked at often', async () => (await looks()) > 20);
  expect({ starts: starts.length, said }).toEqual({ starts: 1, said: [] });
});
