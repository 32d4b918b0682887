import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts, portFault } from '../free-port.ts';

test('ports are all different and can be listened on', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) expect(await portFault(port, '127.0.0.1')).toBeUndefined();
});

test('a port is not handed out twice, even if no process listens on it yet', async () => {
  const ports: number[] = [];
  for (let call = 0; call < 50; call += 1) ports.push(...(await freePorts(20)));
  expect(new Set(ports).size).toBe(1000);
});

test('a port that is in use is reported', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  expect(await portFault(port, '127.0.0.1')).toBe('EADDRINUSE');
});
