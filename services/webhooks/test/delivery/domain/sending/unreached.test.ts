import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { expect, test } from 'vitest';
import { sendPart } from '../../../../src/delivery/domain/sending/send-part.ts';
import { createMessengerClient } from '../../../../src/platforms/telegram/clients/messenger.ts';
import { telegram } from '../../../../src/platforms/telegram/domain/telegram.ts';

type Deps = Parameters<typeof sendPart>[0];
type Lease = Parameters<typeof sendPart>[1]['lease'];

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
  const lease = { chat: { botId: 'b', platformChatId: '7' }, isFresh: async () => true } as unknown as Lease;
  const payload = { html: 'Hello', text: 'Hello' };
  const part = { threadId: null, payload, attempts: 9, sends: 1, worthMs } as unknown as Parameters<
    typeof sendPart
  >[2];
  const outcome = await sendPart(deps, { platform: telegram, lease }, part, { openSends });
  if (take !== null) await close();
  return outcome;
}

test('an unreachable platform uses up no attempt of a message, for any number of tries', async () => {
  const outcome = await sendTo(null);
  expect(outcome).toMatchObject({ state: 'queued', lastError: 'no answer (ECONNREFUSED)' });
  expect(outcome).not.toHaveProperty('isAttempt');
  expect(outcome).not.toHaveProperty('isUnclear');
  expect(outcome?.waitMs).toBeGreaterThanOrEqual(2000);
});

test('a connection that fails has sent nothing: no attempt is used up, nothing is uncertain, and it is logged', async () => {
  const lines: string[] = [];
  const log = createLog('webhooks', 'warn', { write: (line) => void lines.push(line) });
  // It takes connections and never says a word, as to a client behind a network that loses everything.
  const outcome = await sendTo(() => undefined, { scheme: 'https', log });
  expect(outcome).toMatchObject({
    state: 'queued',
    lastError: 'no answer (ENOCONNECTION)',
  });
  expect(outcome).not.toHaveProperty('isAttempt');
  expect(outcome).not.toHaveProperty('isUnclear');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ platform: 'messenger', failures: 1 }]);
});

test('an expired message is dropped, with the reason', async () => {
  const outcome = await sendTo(null, { worthMs: 1000 });
  expect(outcome).toMatchObject({ state: 'failed', lastError: 'no answer (ECONNREFUSED)' });
});

test.each([
  [0, 'queued'],
  [1, 'failed'],
])(
  'one that takes the message and breaks off, after %i sends of that kind: %s, and uncertain',
  async (openSends, state) => {
    const outcome = await sendTo((socket) => socket.destroy(), { openSends });
    expect(outcome).toMatchObject({ state, isUnclear: true, isAttempt: true });
  },
);

test('after two sends that may have arrived there is no third', async () => {
  let calls = 0;
  const outcome = await sendTo(() => calls++, { openSends: 2 });
  expect(outcome).toMatchObject({ state: 'failed', isUnclear: true });
  expect(calls).toBe(0);
});
