import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../tools/embedded/free-port.ts';
import { startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { createLog } from '../../src/log/log.ts';

interface Line {
  level: string;
  msg: string;
}

/** A bus that begins to connect, and its log. */
function begin(url: string, login: { user?: string; password?: string } = {}) {
  const lines: Line[] = [];
  const log = createLog('keys', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const bus = new Bus({ service: 'keys', url, namespace: 'test', log, ...login });
  const connected = bus.connect();
  return { bus, lines, connected };
}

const complaint = "stalled: bus: NATS can't be reached: ";
const complaints = (lines: readonly Line[]) => lines.filter(({ msg }) => msg.startsWith(complaint));

test('an unreachable server is reported in one line with the reason, and connected to once it is up', async () => {
  const port = await freePort();
  const { bus, lines, connected } = begin(`nats://127.0.0.1:${port}`);
  onTestFinished(() => bus.close());
  await eventually('the reason is in the log', () => complaints(lines).length > 0);
  expect(complaints(lines)).toMatchObject([
    { level: 'warn', msg: expect.stringMatching(/^[^\n]*refused[^\n]*NATS_URL\.$/i) },
  ]);
  const storeDir = await mkdtemp(join(tmpdir(), 'botyard-first-connection-'));
  const server = await startNatsServer({ storeDir, port, users: [], log: () => undefined });
  onTestFinished(async () => {
    await server.stop();
    await rm(storeDir, { recursive: true, force: true });
  });
  expect(await connected).toBe(true);
  expect(complaints(lines)).toHaveLength(1);
});

test('a wrong login is reported as such, without the password', async () => {
  const storeDir = await mkdtemp(join(tmpdir(), 'botyard-first-connection-'));
  const all = { publish: ['>'], subscribe: ['>'] };
  const users = [{ user: 'keys', password: 'right', ...all }];
  const server = await startNatsServer({ storeDir, users, log: () => undefined });
  onTestFinished(async () => {
    await server.stop();
    await rm(storeDir, { recursive: true, force: true });
  });
  const { bus, lines } = begin(server.url, { user: 'keys', password: 'wrong-one' });
  onTestFinished(() => bus.close());
  await eventually('the reason is in the log', () => complaints(lines).length > 0);
  expect(complaints(lines)).toMatchObject([
    {
      level: 'warn',
      msg: expect.stringMatching(/authorization violation\. Give NATS_USER and NATS_PASSWORD/i),
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('wrong-one');
});
