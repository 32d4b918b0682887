import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { replyCreated } from '@botyard/contracts/events/agents';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import { dropMedia, findMedia, reserveFile } from '@botyard/contracts/events/webhook-requests';
import { identityHeader } from '@botyard/shared/auth/identity';
import { answer } from '@botyard/shared/bus/requests';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat } from './chats.ts';

let services: AgentsServices;
let bot: TestBot;
/** The files that the simulated webhooks service has reserved. */
const reserved = new Map<string, OutboundFile>();
const names: string[] = [];
const dropped: string[] = [];

beforeAll(async () => {
  services = await openAgentsServices();
  const bus = await services.harness.busAs('webhooks');
  answer(bus, reserveFile, async ({ tenantId, name, sizeBytes }) => {
    names.push(name);
    if (name === 'refused.exe')
      return { outcome: 'refused' as const, reason: 'Telegram takes no such files' };
    const mediaId = randomUUID();
    const objectKey = `${tenantId}/${mediaId}/${randomUUID()}`;
    const file = { mediaId, name, mediaType: 'image/png', sizeBytes, objectKey };
    reserved.set(mediaId, file);
    return { outcome: 'reserved' as const, file };
  });
  answer(bus, dropMedia, async ({ mediaIds }) => {
    dropped.push(...mediaIds);
    return { dropped: mediaIds.length };
  });
  answer(bus, findMedia, async ({ mediaIds }) => ({
    media: mediaIds
      .flatMap((id) => reserved.get(id) ?? [])
      .map((file) => ({ ...file, state: 'kept' as const })),
  }));
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

async function taken(): Promise<HandledChat> {
  const chat = await HandledChat.begun(services, bot);
  await chat.takeOver();
  return chat;
}

type NamedFile = readonly [name: string, bytes: Buffer];

function formOf(files: readonly NamedFile[], fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, bytes] of files) form.append('files', new Blob([new Uint8Array(bytes)]), name);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

async function post(chat: HandledChat, form: FormData) {
  const encoded = new Response(form);
  const rawBody = new Uint8Array(await encoded.arrayBuffer());
  const headers = { 'content-type': encoded.headers.get('content-type')! };
  const path = await chat.path('/messages');
  return await services.agents.call('POST', path, { as: services.acme.admin, rawBody, headers });
}

const words = (text: string): Buffer => Buffer.from(text);
const idsOf = (name: string) => [...reserved.values()].filter((file) => file.name === name);

describe('files of staff', () => {
  test('are one message each, in their order, the first one with the text', async () => {
    const chat = await taken();
    const large = Buffer.alloc(3_000_000, 'pdf');
    const { status, body } = await post(
      chat,
      formOf(
        [
          ['one.png', words('one')],
          ['two.pdf', large],
        ],
        { text: ' As promised ' },
      ),
    );
    expect([status, body.messageIds.length, body.messageId]).toEqual([201, 2, body.messageIds[0]]);
    const messages = (await chat.messages()).slice(0, 2).toReversed();
    expect(messages).toMatchObject([
      { text: 'As promised', author: { kind: 'staff' }, attachment: { kind: 'photo', name: 'one.png' } },
      { text: '', attachment: { name: 'two.pdf', file: { state: 'kept', sizeBytes: large.length } } },
    ]);
    const rows = await services.harness.asOwner<{ data: string }>(
      'select data from agents.outbox where subject like $1 order by id',
      [`%.event.${replyCreated.name}.%`],
    );
    const replies = rows.map(({ data }) => replyCreated.schema.parse(JSON.parse(data)));
    const ours = replies.filter(({ replyId }) => body.messageIds.includes(replyId));
    expect(ours.map(({ text, file }) => [text, file?.name])).toEqual([
      ['As promised', 'one.png'],
      ['', 'two.pdf'],
    ]);
    const objects = createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 2 ** 24 });
    const content = await buffer((await objects.get(ours[1]!.file!.objectKey))!);
    expect(content.equals(large)).toBe(true);
  });

  test('are refused in words, and then none of the form is sent or stays', async () => {
    const chat = await taken();
    const name = `${randomUUID()}.png`;
    const before = await chat.messages();
    const { status, body } = await post(
      chat,
      formOf([
        [name, words('one')],
        ['refused.exe', words('two')],
      ]),
    );
    const reason = 'Telegram takes no such files';
    expect([status, body]).toEqual([422, { error: reason, issues: [{ path: 'files.1', message: reason }] }]);
    expect(await chat.messages()).toEqual(before);
    expect(dropped).toEqual(expect.arrayContaining(idsOf(name).map(({ mediaId }) => mediaId)));
  });

  test.each([
    ['without a file', () => formOf([], { text: 'only words' }), 400],
    ['with an empty file', () => formOf([['empty.txt', Buffer.alloc(0)]]), 400],
    [
      'with a file in another field',
      () => {
        const form = formOf([]);
        form.append('other', new Blob(['words']), 'a.txt');
        return form;
      },
      400,
    ],
    ['with 11 files', () => formOf(Array.from({ length: 11 }, (_, at) => [`${at}.txt`, words('a')])), 413],
    ['with a file of more than 25 MB', () => formOf([['a.bin', Buffer.alloc(25 * 1024 ** 2 + 1)]]), 413],
    [
      'with a text of more than 16,000',
      () => formOf([['a.txt', words('a')]], { text: 'a'.repeat(16_001) }),
      400,
    ],
  ])('a form %s is refused and sends nothing', async (_what, form, status) => {
    const chat = await taken();
    const before = await chat.messages();
    expect((await post(chat, form())).status).toBe(status);
    expect(await chat.messages()).toEqual(before);
  });

  test.each([
    ['line breaks and marks of direction', 'a\r\nb\u202Ec.txt'],
    ['5,000 characters', `${'x'.repeat(5000)}.pdf`],
    ['a lone surrogate', 'a\ud800.txt'],
  ])('may have a name with %s', async (_what, name) => {
    const chat = await taken();
    const { status } = await post(chat, formOf([[name, words('words')]]));
    expect(status).toBe(201);
    expect(names.at(-1)!.length).toBeLessThanOrEqual(1000);
  });

  test('are not read while the bot handles the chat', async () => {
    const chat = await HandledChat.begun(services, bot);
    const name = `${randomUUID()}.png`;
    const { status, body } = await post(chat, formOf([[name, words('one')]]));
    expect([status, body.error]).toEqual([409, 'the bot handles this chat: take it over first']);
    expect(names).not.toContain(name);
  });

  test('whose upload breaks off leave nothing', async () => {
    const chat = await taken();
    const before = await chat.messages();
    const name = `${randomUUID()}.png`;
    const part = (fileName: string) =>
      `--x\r\nContent-Disposition: form-data; name="files"; filename="${fileName}"\r\n\r\nwords\r\n`;
    const upload = request(`${services.agents.url}${await chat.path('/messages')}`, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 1_000_000,
        [identityHeader]: await services.agents.identityOf(services.acme.admin),
      },
    });
    upload.on('error', () => undefined);
    upload.write(part(name) + part('second.png').slice(0, -20));
    const file = await eventually('the first file is stored', () => idsOf(name)[0]);
    upload.destroy();
    await eventually('it is dropped', () => dropped.includes(file.mediaId));
    expect(await chat.messages()).toEqual(before);
  });

  test('are sent again with their message', async () => {
    const chat = await taken();
    const { body } = await post(chat, formOf([['again.png', words('again')]]));
    await services.harness.asOwner(
      "update agents.messages set status = 'failed', last_error = 'blocked' where message_id = $1",
      [body.messageId],
    );
    const path = `/api/interactions/undelivered/${body.messageId}/resend`;
    const resent = await services.agents.call('POST', path, { as: services.acme.admin });
    expect(resent.body).toMatchObject({ attachment: { name: 'again.png', file: { state: 'kept' } } });
    const [row] = await services.harness.asOwner<{ data: string }>(
      'select data from agents.outbox where data like $1',
      [`%"replyId":"${resent.body.messageId}"%`],
    );
    expect(JSON.parse(row!.data)).toMatchObject({ file: { name: 'again.png' } });
  });
});
