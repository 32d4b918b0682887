import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { expect, test } from 'vitest';
import { sendPart } from '../../../src/delivery/domain/send.ts';
import { createMessengerClient } from '../../../src/platforms/telegram/clients/messenger.ts';
import { createTelegram } from '../../../src/platforms/telegram/domain/telegram.ts';

type Begun = Parameters<typeof sendPart>[0];
type Deps = Parameters<typeof createTelegram>[0];

/** The result of a send if the platform handles each connection like this; with `null` no server listens. */
async function sendTo(
  take: ((socket: { destroy(): void }) => void) | null,
  { openSends = 0, worthMs = 60_000, scheme = 'http', log = createLog('webhooks', 'silent') } = {},
) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    take?.(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  if (take === null) await close();
  const deps = {
    endpoints: { find: async () => ({ botToken: new Secret(`1:${'a'.repeat(35)}`) }) },
    messenger: createMessengerClient(`${scheme}://127.0.0.1:${port}`, log),
    log,
  } as unknown as Deps;
  const chat = { botId: 'b', platform: 'messenger' as const, chatKey: '7' };
  const payload = { html: 'Hello', text: 'Hello' };
  const part = { threadId: null, payload, attempts: 9, worthMs };
  const begun = { chat, part, send: 2, openSends } as unknown as Begun;
  const end = await sendPart(begun, { platform: createTelegram(deps), mayCall: async () => true });
  if (take !== null) await close();
  return end;
}

test('an unreachable platform uses up no attempt of a message, for any number of tries', async () => {
  const end = await sendTo(null);
  expect(end).toMatchObject({ end: 'later', reason: 'no answer (ECONNREFUSED)' });
  expect(end).not.toHaveProperty('isAttempt');
  expect(end.waitMs).toBeGreaterThanOrEqual(2000);
});

test('a connection that fails has sent nothing: no attempt is used up, nothing is uncertain, and it is logged', async () => {
  const lines: string[] = [];
  const log = createLog('webhooks', 'warn', { write: (line) => void lines.push(line) });
  // It takes connections and never says a word, as to a client behind a network that loses everything.
  const end = await sendTo(() => undefined, { scheme: 'https', log });
  expect(end).toMatchObject({ end: 'later', reason: 'no answer (ENOCONNECTION)' });
  expect(end).not.toHaveProperty('isAttempt');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ platform: 'messenger', failures: 1 }]);
});

test('an expired message is dropped, with the reason', async () => {
  const end = await sendTo(null, { worthMs: 1000 });
  expect(end).toMatchObject({ end: 'refused', reason: 'no answer (ECONNREFUSED)' });
});

test.each([
  [0, 'repeated', expect.any(Number)],
  [1, 'given up', undefined],
])(
  'one that takes the message and breaks off, after %i sends of that kind: uncertain, and %s',
  async (openSends, _what, waitMs) => {
    const end = await sendTo((socket) => socket.destroy(), { openSends });
    expect(end).toMatchObject({ end: 'uncertain', waitMs });
  },
);

test('after two sends that may have arrived there is no third', async () => {
  let calls = 0;
  const end = await sendTo(() => calls++, { openSends: 2 });
  expect(end).toMatchObject({ end: 'uncertain', waitMs: undefined });
  expect(calls).toBe(0);
});
