import { createHash, randomInt, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Media } from '@botyard/contracts/events/attachments';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { dropMedia, eraseTransport, findMedia } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import { chatOf, messageUpdate } from '@botyard/testing/messenger/chats';
import type { SentFile } from '@botyard/testing/messenger/media';
import type { MediaKind } from '@botyard/testing/messenger/types';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  callsOfBot,
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

const megabyte = 1024 * 1024;
let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;
let chatId: number;
let lastUpdate: unknown;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await newBot();
});
afterAll(() => closeWebhooksServices(services));
afterEach(() => services.messenger.clearFaults());

const newBot = () => save(services, newIntegration(services));

/** A person sends a file; returns its media, by the event of its message. */
async function send(kind: MediaKind, file?: SentFile, to = bot, text = ''): Promise<string> {
  chatId = randomInt(1000, 2 ** 40);
  const messengerBot = services.messenger.bot(to.botToken);
  const saying = { chatId, text, media: kind, ...(file ? { file } : {}) };
  const messageId = randomInt(1, 2 ** 30);
  const update = {
    update_id: messageId,
    ...messageUpdate(messengerBot, chatOf(messengerBot, chatId), saying, messageId, services.messenger.files),
  };
  lastUpdate = update;
  expect((await post(webhooks, to, update)).status).toBe(200);
  await publishedAll(services);
  const events = await eventsOf(services.harness, messageReceived);
  const event = events.find((one) => one.platformMessageId === String(messageId));
  return event!.attachment!.mediaId!;
}

async function find(mediaId: string, of = bot): Promise<Media | undefined> {
  const request = { tenantId: of.tenantId, mediaIds: [mediaId], withTexts: true };
  const { media } = await ask(await services.harness.busAs('agents'), findMedia, request);
  return media[0];
}

const settled = (mediaId: string, of = bot): Promise<Media> =>
  eventually('it is known what became of the file', async () => {
    const media = await find(mediaId, of);
    return media && media.state !== 'waiting' && media;
  });

const objects = async () =>
  createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 512 * megabyte });
const rowsOf = ({ tenantId }: Integration) =>
  services.harness.asOwner<Record<string, unknown> & { object_key: string }>(
    'select * from webhooks.mail_attachments where tenant_id = $1',
    [tenantId],
  );
const downloads = () =>
  services.messenger.calls.all.filter(({ operation }) => operation === 'downloadFile').length;

describe('a file of a chat', () => {
  test('at which processes have died five times is dropped, and not fetched a sixth time', async () => {
    const mediaId = randomUUID();
    await services.harness.asOwner(
      `insert into webhooks.media (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, file_ref, attempts)
       values ($1, $2, $3, $2, 'messenger', '1', 'poison.pdf', 'poison', 5)`,
      [bot.tenantId, mediaId, bot.botId],
    );
    expect(await settled(mediaId)).toMatchObject({ state: 'missing', reason: 'unavailable' });
    const fileCalls = services.messenger.calls.all.filter(({ operation }) => operation === 'getFile');
    expect(fileCalls.filter(({ params }) => params.file_id === 'poison')).toEqual([]);
  });

  test('is fetched after its message was admitted, and stored unchanged, with the type that its bytes have', async () => {
    const bytes = Buffer.from('Kettles are returned within 30 days.');
    const file = { bytes, name: '../../etc/terms\u202E.txt', mimeType: 'image/png' };
    const media = await settled(await send('document', file));
    expect(media).toMatchObject({
      state: 'kept',
      name: 'terms.txt',
      mediaType: 'text/plain',
      sizeBytes: bytes.length,
      text: bytes.toString(),
    });
    const [row] = await rowsOf(bot);
    expect(row).toMatchObject({ sha256: createHash('sha256').update(bytes).digest('hex'), remove_at: null });
    const content = await buffer((await (await objects()).get(media.objectKey!))!);
    expect(content.equals(bytes)).toBe(true);
    const [use] = await services.harness.asOwner(
      'select bytes from webhooks.storage_use where tenant_id = $1',
      [bot.tenantId],
    );
    expect(Number(use?.bytes)).toBe(bytes.length);
  });

  test.each(['photo', 'voice', 'audio', 'video', 'video_note'] as const)(
    'is kept, for the kind %s',
    async (kind) => {
      expect(await settled(await send(kind))).toMatchObject({ state: 'kept' });
    },
  );

  test('shows neither its number at the platform nor its address in an event', async () => {
    await send('document');
    const events = JSON.stringify(await eventsOf(services.harness, messageReceived));
    expect(events).not.toMatch(/AgACAgIAAxkBAAI|file_\d|fileRef/);
  });

  test('is fetched once if it arrives twice', async () => {
    const own = await newBot();
    const before = downloads();
    const mediaId = await send('document', undefined, own);
    await settled(mediaId, own);
    expect((await post(webhooks, own, lastUpdate)).status).toBe(200);
    await publishedAll(services);
    expect(downloads() - before).toBe(1);
    expect(await rowsOf(own)).toHaveLength(1);
  });

  test('is tried again while the platform is in trouble', async () => {
    services.messenger.failNext('getFile', { status: 500 });
    services.messenger.fail('downloadFile', { cut: 'before' });
    expect(await settled(await send('document'))).toMatchObject({ state: 'kept' });
  });
});

describe('a file that can not be fetched', () => {
  test('because it is too large for the platform is reported as such', async () => {
    services.messenger.failNext('getFile', { status: 400, description: 'Bad Request: file is too big' });
    expect(await settled(await send('document'))).toMatchObject({ state: 'missing', reason: 'too_large' });
  });

  test('because it exceeds its declared size is aborted, and nothing of it is stored', async () => {
    const own = await newBot();
    services.messenger.fail('downloadFile', { status: 200, body: Buffer.alloc(21 * megabyte) });
    const media = await settled(await send('document', undefined, own), own);
    expect(media).toMatchObject({ state: 'missing', reason: 'too_large' });
    expect(await rowsOf(own)).toEqual([]);
  });

  test('because its number is no longer valid is unavailable', async () => {
    services.messenger.failNext('getFile', { status: 400, description: 'Bad Request: wrong file_id' });
    expect(await settled(await send('document'))).toMatchObject({ state: 'missing', reason: 'unavailable' });
  });

  test.each([
    '../../bot1:A/getMe',
    'documents/../../secret',
    'http://127.0.0.1:1/x',
    '//127.0.0.1:1/x',
    '/etc/passwd',
    'documents/%2e%2e/x',
    'documents/x?y#z',
    'documents\\x',
    '',
  ])('because its path is %j is never downloaded', async (file_path) => {
    const before = downloads();
    services.messenger.fail('getFile', { status: 200, body: { ok: true, result: { file_path } } });
    expect(await settled(await send('document'))).toMatchObject({ state: 'missing', reason: 'unavailable' });
    expect(downloads()).toBe(before);
  });

  test('because the platform leads elsewhere is not fetched from there', async () => {
    let calls = 0;
    const elsewhere: Server = createServer((_req, res) => {
      calls += 1;
      res.end('secret');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void elsewhere.close());
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    services.messenger.fail('downloadFile', { status: 302, headers: { location } });
    expect(await settled(await send('document'))).toMatchObject({ state: 'missing', reason: 'unavailable' });
    expect(calls).toBe(0);
  });
});

test("hanging downloads of one tenant delay no other tenant's files", async () => {
  const [slow, other] = [await newBot(), await newBot()];
  services.messenger.fail('downloadFile', { hang: true, times: 100, on: callsOfBot(slow) });
  const hanging: string[] = [];
  for (let count = 0; count < 12; count += 1) hanging.push(await send('document', undefined, slow));
  expect(await settled(await send('document', undefined, other), other)).toMatchObject({ state: 'kept' });
  const fetching = await services.harness.asOwner(
    'select from webhooks.media where tenant_id = $1 and lease_until > now()',
    [slow.tenantId],
  );
  expect(fetching.length).toBeLessThanOrEqual(3);
  expect((await find(hanging[0]!, slow))?.state).toBe('waiting');
});

test('a file whose process was stopped is taken over by the next one', async () => {
  services.messenger.fail('downloadFile', { hang: true });
  const mediaId = await send('document');
  await eventually(
    'it is being downloaded',
    async () => services.messenger.calls.all.at(-1)?.operation === 'downloadFile',
  );
  await webhooks.stop();
  webhooks = await startWebhooks(services);
  expect(await settled(mediaId)).toMatchObject({ state: 'kept' });
});

describe('stored files are removed', () => {
  const isGone = async (key: string) => (await (await objects()).get(key)) === null;

  test('with the person who sent it', async () => {
    const own = await newBot();
    const mediaId = await send('document', undefined, own);
    const { objectKey } = await settled(mediaId, own);
    const platformUserId = String(chatId);
    const account = { platform: 'messenger', platformUserId } as const;
    const erasure = {
      tenantId: own.tenantId,
      personIds: [personIdOfAccount(own.tenantId, account)],
      accounts: [account],
      erasedBefore: new Date().toISOString(),
      conversations: [],
    };
    const bus = await services.harness.busAs('tenancy');
    await eventually(
      'the person is erased',
      async () => (await ask(bus, eraseTransport, erasure as never)).isDone,
    );
    expect([await isGone(objectKey!), await rowsOf(own), await find(mediaId, own)]).toEqual([
      true,
      [],
      undefined,
    ]);
  });

  test('with the message that is no longer kept', async () => {
    const own = await newBot();
    const mediaId = await send('document', undefined, own);
    const { objectKey } = await settled(mediaId, own);
    const bus = await services.harness.busAs('agents');
    const request = { tenantId: own.tenantId, mediaIds: [mediaId] };
    expect(await ask(bus, dropMedia, request)).toEqual({ dropped: 1 });
    await eventually('its bytes are gone', () => isGone(objectKey!));
    expect(await ask(bus, dropMedia, request)).toEqual({ dropped: 0 });
  });

  test('with its tenant, without a trace for another tenant', async () => {
    const own = await newBot();
    const mediaId = await send('document', undefined, own);
    const { objectKey } = await settled(mediaId, own);
    expect(await find(mediaId, bot)).toBeUndefined();
    await services.harness.publish(tenantDeleted, { tenantId: own.tenantId });
    await eventually('its bytes are gone', () => isGone(objectKey!));
    await eventually('what tells of it is gone', async () => (await find(mediaId, own)) === undefined);
  });
});
