import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import type { Person } from '@botyard/testing/platforms/driver';
import { expect } from 'vitest';
import type { Channel } from '../rig.ts';

/** Two people with the same digits, each on one of a bot's two platforms. */
export interface Pair {
  channels: readonly [Channel, Channel];
  people: readonly [Person, Person];
}

/** Their separation, by its promises. */
export const equalDigits: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  'each has a conversation of their own': async ({ channels: [one, other], people }) => {
    const [first, second] = [`first ${randomUUID()}`, `second ${randomUUID()}`];
    await one.ask({ person: people[0], text: first });
    await other.ask({ person: people[1], text: second });
    const chats = [await one.chatWith(first), await other.chatWith(second)];
    expect(chats.map(({ platform }) => platform)).toEqual([one.platform, other.platform]);
    expect(chats[0]!.chatId).not.toBe(chats[1]!.chatId);
    const { messages } = one.system.model.requests.all.findLast((request) =>
      contentText(request.messages.at(-1)!).includes(second),
    )!;
    expect(messages.map(contentText).join('\n')).not.toContain(first);
  },
  'a mute of one leaves the other alone': async ({ channels: [one, other], people }) => {
    const { muteId } = await one.api<{ muteId: string }>('POST', '/api/auth/moderation', {
      platform: one.platform,
      platformUserId: people[0].id,
    });
    const [muted, heard] = [`muted ${randomUUID()}`, `heard ${randomUUID()}`];
    await one.write({ person: people[0], text: muted });
    await other.ask({ person: people[1], text: heard });
    await isIgnored(one, muted);
    await one.api('DELETE', `/api/auth/moderation/${muteId}`);
  },
  'a grant of one is none of the other': async ({ channels: [one, other], people }) => {
    await one.api('PUT', `/api/auth/bots/${one.botId}`, { privateChats: 'granted' });
    await one.api('POST', '/api/auth/private-chat-grants', {
      botId: other.botId,
      platform: other.platform,
      platformUserId: people[1].id,
    });
    const [stranger, guest] = [`stranger ${randomUUID()}`, `guest ${randomUUID()}`];
    await one.write({ person: people[0], text: stranger });
    await other.ask({ person: people[1], text: guest });
    await isIgnored(one, stranger);
    await one.api('PUT', `/api/auth/bots/${one.botId}`, { privateChats: 'all' });
  },
  'the pace of one does not slow the other': async ({ channels: [one, other], people }) => {
    const text = `many lines ${randomUUID()}`;
    await one.ask({ person: people[0], text });
    const { chatId } = await one.chatWith(text);
    await one.api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
    const lines = Array.from({ length: 8 }, (_, index) => `slow ${index}`);
    for (const line of lines)
      await one.api('POST', `/api/interactions/chats/${chatId}/messages`, { text: line });
    await other.ask({ person: people[1], text: `quick ${randomUUID()}` });
    expect(one.textsTo(people[0])).not.toContain(lines.at(-1));
    await one.isSent(people[0], lines.at(-1)!);
    await one.api('POST', `/api/interactions/chats/${chatId}/handback`);
  },
  'an erasure of one keeps everything of the other': async ({ channels: [one, other], people }) => {
    const [erased, kept] = [`erased ${randomUUID()}`, `kept ${randomUUID()}`];
    await one.ask({ person: people[0], text: erased });
    await other.ask({ person: people[1], text: kept });
    const { chatId } = await other.chatWith(kept);
    const { requestId } = await one.api<{ requestId: string }>('POST', '/api/admin/gdpr/requests', {
      platform: one.platform,
      platformUserId: people[0].id,
    });
    await eventually('the person is erased', async () => {
      const { state } = await one.api<{ state: string }>('GET', `/api/admin/gdpr/requests/${requestId}`);
      return state === 'done';
    });
    const [{ count } = { count: '' }] = await one.system.asOwner<{ count: string }>(
      `select count(*) from agents.messages where text like '%${erased}%'`,
    );
    expect(count).toBe('0');
    await other.ask({ person: people[1], text: 'still here' });
    const texts = (await other.messagesIn({ chatId })).map((message) => message.text);
    expect(texts).toEqual(expect.arrayContaining([kept, 'still here']));
  },
};

async function isIgnored(channel: Channel, words: string): Promise<void> {
  await eventually('the message is ignored', async () => {
    const messages = await channel.messagesIn(await channel.chatWith(words));
    return messages.some(({ text, status }) => text.includes(words) && status === 'ignored');
  });
}
