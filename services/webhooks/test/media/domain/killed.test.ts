import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import { chatOf, messageUpdate } from '@botyard/testing/messenger/chats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  save,
  startWebhooks,
  type WebhooksServices,
  webhookBaseUrl,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let bot: Integration;
let marks: string;

beforeAll(async () => {
  services = await openWebhooksServices();
  marks = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  const first = await startWebhooks(services);
  bot = await save(services, newIntegration(services));
  await first.stop();
});
afterAll(async () => {
  await closeWebhooksServices(services);
  await rm(marks, { recursive: true, force: true });
});

const start = () =>
  services.harness.startProcess('webhooks', {
    NODE_ENV: 'test',
    MESSENGER_API_URL: services.messenger.url,
    WEBHOOK_BASE_URL: webhookBaseUrl,
    FAILPOINTS: 'webhooks.media.before-commit:crash',
    FAILPOINTS_DIR: marks,
  });
const rows = () =>
  services.harness.asOwner<{ object_key: string; remove_at: Date | null }>(
    'select object_key, remove_at from webhooks.mail_attachments where tenant_id = $1',
    [bot.tenantId],
  );

test('a file whose process is killed between its bytes and their record is kept once, and nothing else is left of it', async () => {
  const killed = await start();
  const messengerBot = services.messenger.bot(bot.botToken);
  const saying = { chatId: 4711, text: '', media: 'document' as const };
  const update = messageUpdate(messengerBot, chatOf(messengerBot, 4711), saying, 1, services.messenger.files);
  expect((await post(killed, bot, { update_id: 1, ...update })).status).toBe(200);
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
  const [left] = await rows();
  expect(left?.remove_at).not.toBeNull();
  // Ends the dead process's lease, so that the test doesn't wait for it.
  await services.harness.asOwner('update webhooks.media set lease_until = now() where tenant_id = $1', [
    bot.tenantId,
  ]);
  const next = await start();
  const [kept] = await eventually('it is kept, and alone', async () => {
    const mediaRows = await rows();
    return mediaRows.length === 1 && mediaRows[0]!.remove_at === null && mediaRows;
  });
  const objects = createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 2 ** 24 });
  expect(kept!.object_key).not.toBe(left!.object_key);
  expect([await objects.get(left!.object_key), await objects.get(kept!.object_key)]).toEqual([
    null,
    expect.anything(),
  ]);
  await next.stop();
});
