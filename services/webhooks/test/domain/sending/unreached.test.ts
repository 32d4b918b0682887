import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { expect, test } from 'vitest';
import { createMessengerClient } from '../../../src/clients/messenger.ts';
import { sendPart } from '../../../src/domain/sending/send-part.ts';

type Deps = Parameters<typeof sendPart>[0];
type Hold = Parameters<typeof sendPart>[1];

/** What a send comes to when the platform does this with each connection; with `null` nobody listens there. */
async function sendTo(take: ((socket: { destroy(): void }) => void) | null, attempts: number) {
  const server = createServer((socket) => take?.(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    await once(server, 'close');
  };
  if (take === null) await close();
  const deps = {
    endpoints: { find: async () => ({ botToken: new Secret(`1:${'a'.repeat(35)}`) }) },
    messenger: createMessengerClient(`http://127.0.0.1:${port}`),
    log: createLog('webhooks', 'silent'),
  } as unknown as Deps;
  const hold = { chat: { botId: 'b', platformChatId: '7' }, isFresh: async () => true } as unknown as Hold;
  const part = { threadId: null, html: 'Hello', plain: 'Hello', attempts } as Parameters<typeof sendPart>[2];
  const outcome = await sendPart(deps, hold, part);
  if (take !== null) await close();
  return outcome;
}

test('a platform that nobody can reach uses up no try of a message, however often', async () => {
  const outcome = await sendTo(null, maxAttempts - 1);
  expect(outcome).toMatchObject({ state: 'queued', lastError: 'no answer (ECONNREFUSED)' });
  expect(outcome).not.toHaveProperty('isAttempt');
  expect(outcome).not.toHaveProperty('isUncertain');
  expect(outcome?.waitMs).toBeGreaterThanOrEqual(2000);
});

test('one that takes the message and breaks off does: the last try is given up, and nobody knows what became of it', async () => {
  const outcome = await sendTo((socket) => socket.destroy(), maxAttempts - 1);
  expect(outcome).toMatchObject({ state: 'failed', isUncertain: true, isAttempt: true });
});
