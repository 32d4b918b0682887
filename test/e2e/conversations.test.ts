import { randomInt } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  editOf,
  membershipIn,
  migrationOf,
  newGroupId,
  pressIn,
  sayTo,
  supergroupOf,
} from '../../services/webhooks/test/chat-updates.ts';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

let system: System;
let demo: DemoTenant;

beforeAll(async () => {
  system = await System.start();
  demo = await createDemoTenant(system);
  system.model.replyWith((request) => `re: ${contentText(request.messages.at(-1)!)}`);
});
afterAll(() => system.stop());

const username = 'acme_support_bot';
const newChat = () => randomInt(1_000_000, 2 ** 40);
const say = (chatId: number, text: string) => sayTo(username, chatId, text);
const deliver = async (...updates: object[]) => {
  for (const update of updates) expect(await demo.deliver(update)).toBe(200);
};
const sentTo = (chatId: number) =>
  system.messenger.sent.filter((sent) => sent.chatId === String(chatId)).map(({ entry }) => entry.text);
const answered = (chatId: number, count = 1) =>
  eventually(`${count} answers`, () => sentTo(chatId).length >= count && sentTo(chatId));

interface Chat {
  chatId: string;
  title: string;
  isBlocked: boolean;
  blockedReason?: string;
}
interface Message {
  text: string;
  direction: string;
  status: string;
  editedAt?: string;
}
const newestChat = async () => (await system.api<Chat[]>('GET', '/api/interactions/chats'))[0]!;
const messagesOf = ({ chatId }: Chat) =>
  system.api<Message[]>('GET', `/api/interactions/chats/${chatId}/messages`);

test('a message that is edited while it waits is answered as it reads then, once', async () => {
  const chatId = newChat();
  system.model.hang();
  const nextRequest = system.model.nextRequest();
  await deliver(say(chatId, 'first'));
  await nextRequest;
  const said = say(chatId, 'typo');
  await deliver(said, editOf(said, 'no typo'));
  const chat = await newestChat();
  await eventually('the edit is stored', async () =>
    (await messagesOf(chat)).some(({ text, editedAt }) => text === 'no typo' && editedAt),
  );
  system.model.release();
  expect(await answered(chatId, 2)).toEqual(['re: first', 're: no typo']);
  await deliver(editOf(said, 'changed again', 1_795_200_090));
  await deliver(say(chatId, 'last'));
  expect(await answered(chatId, 3)).toEqual(['re: first', 're: no typo', 're: last']);
});

test('a press of a button is acknowledged and answered once, even if it is delivered repeatedly', async () => {
  const chatId = newChat();
  const press = pressIn(chatId, 'yes, please');
  await Promise.all([deliver(press), deliver(press), deliver(press)]);
  expect(await answered(chatId)).toEqual([expect.stringContaining('yes, please')]);
  const { id } = press.callback_query;
  const acknowledged = () =>
    system.messenger.calls.filter(
      ({ operation, params }) => operation === 'answerCallbackQuery' && params.callback_query_id === id,
    );
  await eventually('it is acknowledged', () => acknowledged().length > 0);
  await deliver(say(chatId, 'next'));
  await answered(chatId, 2);
  expect(acknowledged()).toHaveLength(1);
});

test.each([['to', 'from'], ['from', 'to'], ['to'], ['from']] as const)(
  'a group that becomes a supergroup continues there with its history (%s %s)',
  async (...order) => {
    const group = newGroupId();
    await deliver(say(group, 'my name is Anna'));
    await answered(group);
    const migration = migrationOf(group);
    await deliver(...order.map((which) => migration[which]));
    await deliver(say(supergroupOf(group), 'who am I?'));
    expect(await answered(supergroupOf(group))).toEqual(['re: who am I?']);
    expect(JSON.stringify(system.model.requests.last?.messages)).toContain('my name is Anna');
    expect(sentTo(group)).toHaveLength(1);
  },
);

test('an answer that is on its way when the group becomes a supergroup arrives there', async () => {
  const group = newGroupId();
  system.model.hang();
  const nextRequest = system.model.nextRequest();
  await deliver(say(group, 'where am I?'));
  await nextRequest;
  await deliver(migrationOf(group).from);
  system.model.release();
  expect(await answered(supergroupOf(group))).toEqual(['re: where am I?']);
  expect(sentTo(group)).toEqual([]);
});

test('a person who blocks the bot gets nothing, until they return', async () => {
  const chatId = newChat();
  const { id } = system.messenger.bot(demo.botToken);
  system.model.hang();
  const nextRequest = system.model.nextRequest();
  await deliver(say(chatId, 'a long story'));
  await nextRequest;
  await deliver(membershipIn(id, chatId, 'kicked'));
  const chat = await eventually('the chat is known to be blocked', async () => {
    const newest = await newestChat();
    return newest.isBlocked && newest;
  });
  expect(chat.blockedReason).toBe('the person blocked the bot');
  await eventually('the message is given up', async () =>
    (await messagesOf(chat)).every(({ status }) => status === 'ignored'),
  );
  system.model.release();
  await deliver(say(chatId, 'I am back'));
  expect(await answered(chatId)).toEqual(['re: I am back']);
  expect(await newestChat()).toMatchObject({ chatId: chat.chatId, isBlocked: false });
});
