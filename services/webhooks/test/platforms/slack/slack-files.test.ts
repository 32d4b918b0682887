import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { delivered, publishReplies, type Reply } from '../../replies.ts';
import {
  closeSlackServices,
  conversationIn,
  newBot,
  openSlackServices,
  placesOf,
  type SlackServices,
} from './slack-services.ts';

const bytes = Buffer.from('%PDF-1.7 the offer');
let services: SlackServices;
beforeAll(async () => {
  services = await openSlackServices();
});
afterAll(() => closeSlackServices(services));
beforeEach(() => services.slack.clearFaults());

/** A reply with a file in a new channel, and the files that arrive there. */
async function newReply() {
  const bot = await newBot(services);
  const { channel, person } = placesOf(services, bot);
  const root = services.slack.say({ channel, person, text: 'x' });
  const objectKey = `${bot.tenantId}/${randomUUID()}/${randomUUID()}`;
  const objects = createNatsObjects(await services.harness.busAs('agents'), { maxBytes: 2 ** 24 });
  await objects.put(objectKey, Readable.from([bytes]), { sizeBytes: bytes.length, sha256: '' });
  const mediaType = 'application/pdf';
  const file = { mediaId: randomUUID(), name: 'offer.pdf', mediaType, sizeBytes: bytes.length, objectKey };
  const reply: Reply = {
    ...conversationIn(bot, { platformChatId: channel.id, threadId: root.ts })('x'),
    text: '',
    file,
  };
  const arrived = () =>
    services.slack.sent
      .filter((sent) => sent.channel === channel.id)
      .map(({ message }) => ({ threadTs: message.threadTs, content: message.files?.[0]?.content }));
  return { bot, root, reply, arrived };
}

test('a file of staff arrives in its thread, also when its upload broke off before', async () => {
  const { root, reply, arrived } = await newReply();
  services.slack.fail('uploadFile', { cut: 'after' });
  await publishReplies(services, reply);
  expect(await delivered(services, reply)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(arrived()).toEqual([{ threadTs: root.ts, content: bytes }]);
});

test('a file of which it is unknown whether it was shared comes at most twice, and is uncertain', async () => {
  const { reply, arrived } = await newReply();
  services.slack.fail('files.completeUploadExternal', { cut: 'after' });
  await publishReplies(services, reply);
  expect(await delivered(services, reply)).toMatchObject({ isUncertain: true });
  expect(arrived().length).toBeLessThanOrEqual(2);
});

test('a token that may not send files says what to do', async () => {
  const { bot, reply, arrived } = await newReply();
  bot.installation.scopes.delete('files:write');
  await publishReplies(services, reply);
  expect(await delivered(services, reply)).toMatchObject({
    state: 'failed',
    lastError: 'missing_scope: add the scope files:write to the app, and install it again',
  });
  expect(arrived()).toEqual([]);
});
