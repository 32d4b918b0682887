import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Secret } from '@botyard/shared/secrets/secret';
import { startFlood } from '@botyard/testing/flood';
import { expect, test } from 'vitest';
import { createToolProvider } from '../../../src/external-tools/clients/tool-provider.ts';

const megabyte = 1024 * 1024;

test.each([
  ['plain', false],
  ['packed', true],
])('an endless answer of the tool provider, %s, is cut off at the bound', async (_, isGzip) => {
  const flood = await startFlood({ isGzip });
  const provider = createToolProvider({ url: flood.url, apiKey: new Secret('ak_test') });
  await expect(provider.getTool('MAIL_SEND')).rejects.toMatchObject({ fault: 'unavailable' });
  const signal = AbortSignal.timeout(20_000);
  const order = { tool: 'MAIL_SEND', account: { userId: 'u' }, arguments: '{}', signal };
  await expect(provider.execute(order)).rejects.toMatchObject({ fault: 'unclear' });
  if (!isGzip) expect(flood.sentBytes).toBeLessThan(100 * megabyte);
  await flood.close();
});

test('a call of a tool that found no connection was not made, so nothing about it is unclear', async () => {
  const sockets: Socket[] = [];
  // It takes connections and never says a word, as to a client behind a network that loses everything.
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const provider = createToolProvider({ url, apiKey: new Secret('ak_test') });
  const signal = AbortSignal.timeout(60_000);
  const order = { tool: 'MAIL_SEND', account: { userId: 'u' }, arguments: '{}', signal };
  await expect(provider.execute(order)).rejects.toMatchObject({ fault: 'unavailable' });
  silent.close();
  for (const socket of sockets) socket.destroy();
});
