import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { Behaviour, Channel } from '../rig.ts';

/** A picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);

type NamedFile = readonly [name: string, bytes: Buffer];

/** A person of the tenant takes the chat over and sends files. */
async function sendFiles(channel: Channel, files: readonly NamedFile[]) {
  const { system, bot, api, tenantId } = channel;
  const person = bot.newPerson('Anna');
  const text = `hello ${randomUUID()}`;
  await channel.ask({ person, text });
  const { chatId } = await channel.chatWith(text);
  const path = `/api/interactions/chats/${chatId}`;
  await api('POST', `${path}/takeover`, {});
  const form = new FormData();
  form.set('text', 'as **promised**');
  for (const [name, bytes] of files) form.append('files', new Blob([new Uint8Array(bytes)]), name);
  const headers = { 'x-tenant-id': tenantId };
  const answer = await fetch(`${system.gatewayUrl}${path}/messages`, { method: 'POST', headers, body: form });
  return { person, chatId, status: answer.status, body: (await answer.json()) as { messageIds?: string[] } };
}

export const filesOfStaff: readonly Behaviour[] = [
  {
    name: 'files of staff arrive whole and in order, after their text, and stand in the inbox',
    needs: 'filesOut',
    run: async (channel) => {
      const { bot, system, tenantId } = channel;
      const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3 * 1024 * 1024)]);
      const files = [
        ['Zeichnung ü.png', picture],
        ['offer.pdf', large],
      ] as const;
      const { person, chatId, status, body } = await sendFiles(channel, files);
      expect([status, body]).toEqual([201, expect.anything()]);
      expect(body.messageIds).toHaveLength(2);
      const sentFiles = () => bot.sentTo(person).flatMap(({ file }) => file ?? []);
      await eventually('both files arrive', () => sentFiles().length >= 2);
      expect(sentFiles().map(({ name, bytes }) => [name, bytes.equals(large), bytes.length])).toEqual([
        ['Zeichnung ü.png', false, picture.length],
        ['offer.pdf', true, large.length],
      ]);
      const texts = bot.sentTo(person).map(({ text }) => text);
      expect(texts.findIndex((text) => text.includes('promised'))).toBeLessThanOrEqual(
        bot.sentTo(person).findIndex(({ file }) => file),
      );
      await eventually('the inbox shows them as sent', async () => {
        const messages = await channel.messagesIn({ chatId });
        const ours = messages.filter(({ messageId }) => body.messageIds!.includes(messageId));
        return ours.length === 2 && ours.every(({ status }) => status === 'sent');
      });
      const download = await fetch(
        `${system.gatewayUrl}/api/interactions/messages/${body.messageIds![1]}/attachment`,
        { headers: { 'x-tenant-id': tenantId } },
      );
      expect(download.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(Buffer.from(await download.arrayBuffer()).equals(large)).toBe(true);
    },
  },
];
