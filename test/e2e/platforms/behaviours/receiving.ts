import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { expect } from 'vitest';
import type { Behaviour, Channel } from '../rig.ts';

interface Connected {
  registration: { state: string; lastError?: string };
}

const file = {
  name: 'notes.txt',
  type: 'text/plain',
  bytes: Buffer.from('Kettles are returned within 30 days.\n'),
};

export const receiving: readonly Behaviour[] = [
  {
    name: 'a delivery with a wrong proof is refused, leaves nothing behind, and one for an unknown bot is refused',
    run: async (channel) => {
      const { bot, system } = channel;
      const text = `forged ${randomUUID()}`;
      const { delivery } = bot.write({ person: bot.newPerson('Mallory'), text });
      expect([401, 403, 406]).toContain((await channel.post(bot.forge(delivery))).status);
      const path = delivery.path.replace(channel.botId, randomUUID());
      expect([404, 406]).toContain((await channel.post({ ...delivery, path })).status);
      await channel.ask({ person: bot.newPerson('Anna'), text: 'honest' });
      const rows = await system.asOwner(`select from agents.messages where text like '%${text}%'`);
      expect(rows).toEqual([]);
      expect(channel.asked(text)).toBe(0);
    },
  },
  {
    name: 'a challenge gets its answer as it is, as plain text, and a forged one none',
    needs: 'challenges',
    run: async (channel) => {
      const { request, forged, answer } = channel.bot.challenge!();
      expect(await channel.post(request)).toEqual({
        status: 200,
        contentType: expect.stringMatching(/^text\/plain\b/),
        text: answer,
      });
      const refused = await channel.post(forged);
      expect([401, 403]).toContain(refused.status);
      expect(refused.text).not.toContain(answer);
    },
  },
  {
    name: 'a body that is none of the platform, or too large, is refused, and the next message is answered',
    run: async (channel) => {
      const { bot } = channel;
      const refusals = [400, 401, 403, 406, 415, 422];
      for (const body of ['[]', 'null', '"words"', 'no json', '\0', '']) {
        const { status } = await channel.post(bot.deliverBody(body));
        expect([body, refusals.includes(status) ? 'refused' : status]).toEqual([body, 'refused']);
      }
      // An object of an unknown kind may be accepted, so that the platform doesn't send it again.
      for (const body of ['{}', '{"message":[[]]}'])
        expect([200, ...refusals]).toContain((await channel.post(bot.deliverBody(body))).status);
      const huge = bot.deliverBody(JSON.stringify({ text: 'x'.repeat(40 * 1024 * 1024) }));
      expect((await channel.post(huge)).status).toBe(413);
      await channel.ask({ person: bot.newPerson('Anna'), text: `and now ${randomUUID()}` });
    },
  },
  {
    name: 'a message that is delivered six times, in the same delivery and in others, is answered once',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const text = `once ${randomUUID()}`;
      const written = await channel.ask({ person, text });
      const copies = Array.from({ length: 5 }, (_, index) =>
        index % 2 === 0 ? written.delivery : (bot.repeat?.(written.delivery, written) ?? written.delivery),
      );
      const answers = await Promise.all(copies.map((copy) => channel.post(copy)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      // The answer to a later message shows that the copies were handled.
      await channel.ask({ person, text: 'later' });
      expect(channel.asked(text)).toBe(1);
      expect(bot.sentTo(person)).toHaveLength(2);
    },
  },
  {
    name: 'a message that arrives in several deliveries at once is answered once',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      await channel.ask({ person, text: 'hello' });
      const text = `at once ${randomUUID()}`;
      const written = bot.write({ person, text });
      const copies = Array.from(
        { length: 3 },
        () => bot.repeat?.(written.delivery, written) ?? written.delivery,
      );
      const answers = await Promise.all([written.delivery, ...copies].map((copy) => channel.post(copy)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await channel.isSent(person, text);
      await channel.ask({ person, text: 'later' });
      expect(channel.asked(text)).toBe(1);
      expect(bot.sentTo(person)).toHaveLength(3);
    },
  },
  {
    name: 'messages of a person are answered in their order',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      await channel.ask({ person, text: 'zero' });
      for (const text of ['one', 'two', 'three', 'four']) await channel.write({ person, text });
      await channel.isSent(person, 'four');
      const texts = channel.textsTo(person);
      const places = ['zero', 'one', 'two', 'three', 'four'].map((word) =>
        texts.findIndex((text) => new RegExp(`Answer:[^]*\\b${word}\\b`).test(text)),
      );
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
    },
  },
  {
    name: 'an edited message has its new text in the inbox, and is not answered again',
    needs: 'edits',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [text, changed] = [`before ${randomUUID()}`, `after ${randomUUID()}`];
      const written = await channel.ask({ person, text });
      await channel.accept(bot.edit!(written, changed));
      const chat = await channel.chatWith('before');
      await eventually('the inbox has the new text', async () =>
        (await channel.messagesIn(chat)).some((message) => message.text === changed && message.editedAt),
      );
      await channel.ask({ person, text: 'later' });
      expect(channel.asked(changed)).toBe(0);
    },
  },
  {
    name: 'a message that its person deletes has no words left in the inbox and in later questions to the model',
    needs: 'deletions',
    run: async (channel) => {
      const { bot, system } = channel;
      const person = bot.newPerson('Anna');
      const [before, secret] = [`before ${randomUUID()}`, `secret ${randomUUID()}`];
      await channel.ask({ person, text: before });
      const { chatId } = await channel.chatWith(before);
      const written = await channel.ask({ person, text: secret });
      await channel.accept(bot.remove!(written));
      await eventually('the words are gone', async () => {
        const messages = await channel.messagesIn({ chatId });
        return !messages.some(({ direction, text }) => direction === 'in' && text.includes(secret));
      });
      const requestsBefore = system.model.requests.count;
      await channel.ask({ person, text: 'later' });
      const questions = system.model.requests.all
        .slice(requestsBefore)
        .flatMap(({ messages }) => messages.filter(({ role }) => role === 'user').map(contentText));
      expect(questions.join('\n')).not.toContain(secret);
    },
  },
  {
    name: 'an account that is removed at the platform makes its integration failed, with the reason, and nothing can use its secrets',
    needs: 'removals',
    run: async ({ every, platform, system }) => {
      const [own] = (await every.connect(platform)) as [Channel];
      await own.ask({ person: own.bot.newPerson('Anna'), text: 'hello' });
      await own.accept(own.bot.leave!());
      const { registration } = await eventually('the integration is failed', async () => {
        const integration = await own.api<Connected>('GET', own.integrationPath);
        return integration.registration.state === 'failed' && integration;
      });
      expect(registration.lastError).toMatch(/removed/);
      // The service that sends hears of it from the one that owns the integration.
      await eventually('its secrets are gone', async () => {
        const rows = await system.asOwner(
          `select from webhooks.endpoints
           where integration_id = '${own.integrationId}' and sealed_secrets is not null`,
        );
        return rows.length === 0;
      });
    },
  },
  {
    name: 'a file of a person is kept, and can be downloaded from the inbox as it was',
    needs: 'filesIn',
    run: async (channel) => {
      const { bot, system } = channel;
      const text = `see the notes ${randomUUID()}`;
      await channel.write({ person: bot.newPerson('Anna'), text, file });
      const chat = await channel.chatWith(text);
      const message = await eventually('the file is kept', async () =>
        (await channel.messagesIn(chat)).find(
          ({ attachment, mail }) => attachment?.file?.state === 'kept' || mail?.documents.length === 1,
        ),
      );
      // Documents of a mail are read into its text; the inbox lists them.
      if (message.mail)
        return expect(message.mail.documents).toMatchObject([{ name: file.name, isRead: true }]);
      const path = `/api/interactions/messages/${message.messageId}/attachment`;
      const answer = await fetch(`${system.gatewayUrl}${path}`, {
        headers: { 'x-tenant-id': channel.tenantId },
      });
      expect([answer.status, await answer.text()]).toEqual([200, String(file.bytes)]);
    },
  },
  {
    name: 'in a group the bot answers what addresses it, and nothing else',
    needs: 'groups',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const group = bot.newGroup!([person]);
      const [aside, text] = [`aside ${randomUUID()}`, `to the bot ${randomUUID()}`];
      await channel.write({ person, group, text: aside });
      await channel.ask({ person, group, text, isAddressed: true });
      expect(channel.asked(aside)).toBe(0);
      expect(bot.sentTo(group)).toHaveLength(1);
      const groups = await channel.api<{ platform: string }[]>('GET', '/api/bot-groups');
      expect(groups.map(({ platform }) => platform)).toContain(channel.platform);
    },
  },
  {
    name: 'in a thread that the bot was called into it answers everything, and nothing outside of it',
    needs: ['groups', 'threads'],
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const group = bot.newGroup!([person]);
      const [root, inside, aside] = ['root', 'inside', 'aside'].map((word) => `${word} ${randomUUID()}`);
      const inThreadOf = await channel.ask({ person, group, text: root!, isAddressed: true });
      await channel.write({ person, group, text: aside! });
      await channel.ask({ person, group, text: inside!, inThreadOf });
      expect(channel.asked(aside!)).toBe(0);
    },
  },
  {
    name: 'a pressed button is a message with its words, and is answered once however often it is delivered',
    needs: 'buttons',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const label = `Yes ${randomUUID().slice(0, 8)}`;
      await channel.ask({ person, text: 'hello' });
      const press = bot.press!(bot.sentTo(person).at(-1)!, label, person);
      await channel.accept(press);
      await channel.isSent(person, label);
      await channel.accept(press);
      await channel.ask({ person, text: 'later' });
      expect(channel.asked(label)).toBe(1);
    },
  },
  {
    name: 'a place that gets another identifier keeps its conversation',
    needs: 'renames',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const group = channel.can('groups') ? bot.newGroup!([person]) : undefined;
      const [first, second] = [`first ${randomUUID()}`, `second ${randomUUID()}`];
      const isAddressed = group !== undefined;
      const root = await channel.ask({ person, text: first, isAddressed, ...(group ? { group } : {}) });
      const { delivery, place } = bot.rename!(group ?? person);
      await channel.accept(delivery);
      const thread = channel.can('threads') ? { inThreadOf: root } : {};
      const later = 'name' in place ? { person: place } : { person, group: place };
      await channel.ask({ text: second, isAddressed, ...later, ...thread });
      expect((await channel.chatWith(second)).chatId).toBe((await channel.chatWith(first)).chatId);
    },
  },
];
