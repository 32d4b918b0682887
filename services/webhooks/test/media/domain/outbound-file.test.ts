import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { dropMedia, findMedia, reserveFile } from '@botyard/contracts/events/webhook-requests';
import { ask } from '@botyard/shared/bus/requests';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  callsInChat,
  conversationOf,
  delivered,
  partsIn,
  publishReplies,
  type Reply,
} from '../../replies.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

/** A picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);
const page = Buffer.from('<!doctype html><script>alert(1)</script>');

let services: WebhooksServices;
let bot: Integration;
let conversation: ReturnType<typeof conversationOf>;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services, { TENANT_MAIL_BYTES: '1000000' });
  bot = await save(services, newIntegration(services));
});
afterAll(() => closeWebhooksServices(services));
beforeEach(() => {
  services.messenger.clearFaults();
  conversation = conversationOf(bot);
});

const busOfAgents = () => services.harness.busAs('agents');

async function reserve(name: string, bytes: Buffer, change: { sizeBytes?: number } = {}) {
  return await ask(await busOfAgents(), reserveFile, {
    tenantId: bot.tenantId,
    botId: bot.botId,
    conversationId: conversation.conversationId,
    platform: 'messenger',
    name,
    head: bytes.subarray(0, 4100).toString('base64'),
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...change,
  });
}

/** As the agents service does it. */
async function stored(name: string, bytes: Buffer): Promise<NonNullable<Reply['file']>> {
  const answer = await reserve(name, bytes);
  if (answer.outcome !== 'reserved') throw new Error(answer.reason);
  const objects = createNatsObjects(await busOfAgents(), { maxBytes: 2 ** 24 });
  await objects.put(answer.file.objectKey, Readable.from([bytes]), { sizeBytes: bytes.length, sha256: '' });
  return answer.file;
}

async function find(mediaId: string) {
  const request = { tenantId: bot.tenantId, mediaIds: [mediaId], withTexts: false };
  const { media } = await ask(await busOfAgents(), findMedia, request);
  return media[0];
}

const sentFiles = () =>
  services.messenger.sent
    .filter(({ chatId }) => chatId === conversation.platformChatId)
    .map(({ entry: { media, text, file } }) => ({ media, text, name: file?.name, bytes: file?.bytes }));

describe('a file that staff sends', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\offer.txt', 'offer.txt'],
    ['a\r\nContent-Type: text/html\r\n\r\n.txt', 'html.txt'],
    ['invoice\u202Etxt.exe', 'invoicetxt.exe'],
    ['..', 'attachment-1'],
  ])('has a name that is safe to display and to save: %j', async (name, safe) => {
    const answer = await reserve(name, Buffer.from('words'));
    expect(answer).toMatchObject({ outcome: 'reserved', file: { name: safe } });
  });

  test('has the type of its bytes, whatever its name says', async () => {
    expect(await reserve('photo.png', page)).toMatchObject({
      file: { mediaType: expect.not.stringMatching(/image|html/) },
    });
    expect(await reserve('page.html', picture)).toMatchObject({ file: { mediaType: 'image/png' } });
  });

  test('is refused in words when the platform takes none of this size', async () => {
    const answer = await reserve('film.bin', Buffer.from('words'), { sizeBytes: 60 * 1024 * 1024 });
    expect(answer).toEqual({
      outcome: 'refused',
      reason: 'Telegram takes files of the type text/plain up to 50 MB',
    });
  });

  test('is refused when the tenant has no storage left, and takes none', async () => {
    const answer = await reserve('large.txt', Buffer.from('words'), { sizeBytes: 1_000_001 });
    expect(answer).toEqual({ outcome: 'refused', reason: 'there is no storage left for files' });
  });

  test('arrives after its text, as a picture or a file, and stays stored', async () => {
    const [photo, document] = [await stored('Ünï "1".png', picture), await stored('page.html', page)];
    await publishReplies(
      services,
      conversation.reply('Here it is.', { file: photo, author: 'staff' }),
      conversation.reply('', { file: document, author: 'staff' }),
    );
    await eventually('everything is sent', () => sentFiles().length === 3);
    expect(sentFiles()).toEqual([
      { text: 'Here it is.' },
      { media: 'photo', text: '', name: 'Ünï "1".png', bytes: picture },
      { media: 'document', text: '', name: 'page.html', bytes: page },
    ]);
    expect(await find(photo.mediaId)).toMatchObject({ state: 'kept', name: 'Ünï "1".png' });
  });

  test('is sent as a file when the platform can not show the picture', async () => {
    const file = await stored('wide.png', picture);
    services.messenger.failNext('sendPhoto', {
      status: 400,
      description: 'Bad Request: PHOTO_INVALID_DIMENSIONS',
    });
    const reply = conversation.reply('', { file });
    await publishReplies(services, reply);
    expect((await delivered(services, reply)).state).toBe('sent');
    expect(sentFiles().map(({ media }) => media)).toEqual(['document']);
  });

  test('of which it is unknown whether it arrived is sent at most twice, and is uncertain', async () => {
    const file = await stored('terms.txt', page);
    services.messenger.fail('sendDocument', { cut: 'after', on: callsInChat(conversation.platformChatId) });
    const reply = conversation.reply('', { file });
    await publishReplies(services, reply);
    await delivered(services, reply);
    expect(await partsIn(services, conversation.platformChatId)).toMatchObject([{ is_uncertain: true }]);
    expect(sentFiles().length).toBeLessThanOrEqual(2);
  });

  test('that is no longer stored is given up with the reason', async () => {
    const file = await stored('gone.txt', page);
    await createNatsObjects(await busOfAgents(), { maxBytes: 2 ** 24 }).remove(file.objectKey);
    const reply = conversation.reply('', { file });
    await publishReplies(services, reply);
    expect(await delivered(services, reply)).toMatchObject({ lastError: 'the file is no longer stored' });
  });

  test('without a message leaves nothing', async () => {
    const file = await stored(`${randomUUID()}.txt`, page);
    await ask(await busOfAgents(), dropMedia, { tenantId: bot.tenantId, mediaIds: [file.mediaId] });
    const abandoned = await stored(`${randomUUID()}.txt`, page);
    await services.harness.asOwner(
      'update webhooks.mail_attachments set remove_at = now() where mail_id = $1',
      [abandoned.mediaId],
    );
    const ids = [file.mediaId, abandoned.mediaId];
    await eventually('both are removed', async () => {
      const rows = await services.harness.asOwner(
        `select mail_id from webhooks.mail_attachments where mail_id = any ($1::uuid[])
         union all select media_id from webhooks.media where media_id = any ($1::uuid[])`,
        [ids],
      );
      return rows.length === 0;
    });
    const objects = createNatsObjects(await busOfAgents(), { maxBytes: 2 ** 24 });
    expect(await objects.get(file.objectKey)).toBeNull();
  });
});
