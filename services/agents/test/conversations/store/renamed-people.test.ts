import { randomUUID } from 'node:crypto';
import { personRenamed } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, Chat, createBot, openAgentsServices } from '../../agents-services.ts';
import { migrate } from '../../chat-events.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

test('a person with another identifier is one person, with one conversation, however often it changes', async () => {
  const bot = await createBot(services, services.acme);
  const [one, two, three] = [0, 1, 2].map(() => `DE.${randomUUID().replaceAll('-', '')}`) as [
    string,
    string,
    string,
  ];
  const by = (platformUserId: string) => ({
    platform: 'whatsapp' as const,
    sender: { platformUserId, name: 'Anna' },
    chat: { platformChatId: platformUserId, kind: 'private' as const, title: 'Anna' },
  });
  const chat = new Chat(services, bot);
  await chat.say('my name is Anna', by(one));
  await chat.answers(1);
  const about = { ...chat.message('unused'), platform: 'whatsapp' as const };
  for (const [from, to, words] of [
    [one, two, 'I live in Graz'],
    [two, three, 'I am 41'],
  ] as const) {
    const interim = new Chat(services, bot);
    await interim.say(words, by(to));
    await interim.answers(1);
    const move = { fromChatId: from, toChatId: to, interimConversationId: interim.conversationId };
    await migrate(services, about, move);
    const renamed = { tenantId: services.acme.tenantId, platform: 'whatsapp' as const, from, to };
    await services.harness.publish(personRenamed, renamed);
    await services.harness.settled('agents', 'webhooks');
    expect(await interim.written()).toEqual([]);
  }
  const texts = (await chat.written()).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(['my name is Anna', 'I live in Graz', 'I am 41']));
  const people = await services.harness.asOwner(
    'select platform_user_id as id, name from agents.people where conversation_id = $1',
    [chat.conversationId],
  );
  expect(people).toEqual([{ id: three, name: 'Anna' }]);
});
