import { randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { editOf, publishEdit } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  // The bot's settings are known from the first message on.
  const first = new Chat(services, bot);
  await first.say('hello');
  await first.answers(1);
});

afterAll(() => services?.close());

const newMessage = (chat: Chat, text: string) => chat.message(text, { platformMessageId: randomUUID() });

const publish = async (message: ReturnType<Chat['message']>) => {
  await services.harness.publish(messageReceived, message);
};

async function messagesOf({ conversationId }: Chat) {
  const as = services.acme.admin;
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [conversationId],
  );
  const path = `/api/interactions/chats/${row!.chat_id}/messages`;
  return (await services.agents.call('GET', path, { as })).body;
}

const conversationsOf = ({ conversationId }: Chat) =>
  services.harness.asOwner('select from agents.conversations where conversation_id = $1', [conversationId]);

/** A message that waits while the model is busy with the one before it. */
async function waiting(chat: Chat, text: string) {
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('first');
  await nextRequest;
  const message = newMessage(chat, text);
  await publish(message);
  await services.harness.settled('agents', 'webhooks');
  return message;
}

describe('an edit', () => {
  test('changes the stored text of an answered message, and is not answered', async () => {
    const chat = new Chat(services, bot);
    const message = newMessage(chat, 'how are you?');
    await publish(message);
    await chat.answers(1);
    const edit = editOf(message, 'how are you today?');
    await publishEdit(services, edit);
    await publishEdit(services, edit);
    await chat.isIdle();
    expect(await chat.replies()).toHaveLength(1);
    expect(await messagesOf(chat)).toEqual([
      expect.objectContaining({ direction: 'out', text: 're: how are you?' }),
      expect.objectContaining({ text: 'how are you today?', editedAt: edit.editedAt, status: 'answered' }),
    ]);
    await chat.say('and now?');
    await chat.answers(2);
    expect(JSON.stringify(services.model.requests.last?.messages)).toContain('how are you today?');
  });

  test('decides the answer to a pending message', async () => {
    const chat = new Chat(services, bot);
    const message = await waiting(chat, 'typo');
    await publishEdit(services, editOf(message, 'no typo'));
    services.model.release();
    expect(await chat.answers(2)).toEqual(['re: first', 're: no typo']);
    await chat.isIdle();
    expect(await chat.replies()).toHaveLength(2);
  });

  test('runs a pending message as a command if it makes it one', async () => {
    const chat = new Chat(services, bot);
    const message = await waiting(chat, 'help');
    await publishEdit(services, editOf(message, '', { command: { name: 'help', argument: '' } }));
    services.model.release();
    expect((await chat.answers(2))[1]).toContain('/new begins a new conversation');
  });

  test('is not lost if it arrives before its message', async () => {
    const chat = new Chat(services, bot);
    const message = newMessage(chat, 'typo');
    await publishEdit(services, editOf(message, 'no typo'));
    expect(await conversationsOf(chat)).toEqual([]);
    await publish(message);
    expect(await chat.answers(1)).toEqual(['re: no typo']);
    expect(await services.harness.asOwner('select from agents.early_edits')).toEqual([]);
  });

  test('is not lost if it arrives at the same moment as its message, in either order', async () => {
    const chats = Array.from({ length: 40 }, () => new Chat(services, bot));
    const messages = chats.map((chat) => newMessage(chat, 'typo'));
    await Promise.all([
      ...messages.map(publish),
      publishEdit(services, ...messages.map((message) => editOf(message, 'no typo'))),
    ]);
    await services.harness.settled('agents', 'webhooks');
    const rows = await services.harness.asOwner<{ text: string }>(
      `select text from agents.messages where direction = 'in' and conversation_id = any ($1::uuid[])`,
      [chats.map(({ conversationId }) => conversationId)],
    );
    expect(rows.map(({ text }) => text)).toEqual(chats.map(() => 'no typo'));
  });

  test.each([
    ['in their order', [1, 2]],
    ['the later one first', [2, 1]],
  ])('after another one, %s: the later one holds', async (_how, order) => {
    const chat = new Chat(services, bot);
    const message = newMessage(chat, 'typo');
    await publish(message);
    await chat.answers(1);
    const editedAt = new Date().toISOString();
    for (const editNumber of order)
      await publishEdit(services, editOf(message, `edit ${editNumber}`, { editedAt, editNumber }));
    expect((await chat.written()).map(({ text }) => text)).toEqual(['edit 2']);
  });

  test('changes nothing for an unknown message, or for one of another chat with the same number', async () => {
    const chat = new Chat(services, bot);
    const message = newMessage(chat, 'mine');
    await publish(message);
    await chat.answers(1);
    const elsewhere = { ...message.chat, platformChatId: '-100777' };
    await publishEdit(services, editOf(message, 'hijacked', { chat: elsewhere }));
    await publishEdit(services, editOf(message, 'hijacked', { platformMessageId: 'unknown' }));
    await publishEdit(services, editOf(message, 'hijacked', { conversationId: randomUUID() }));
    const { tenantId } = services.other;
    await publishEdit(services, editOf(message, 'hijacked', { tenantId }));
    expect((await chat.written()).map(({ text }) => text)).toEqual(['mine']);
    expect(await chat.replies()).toHaveLength(1);
  });

  test('is stored in a bounded number while its message is missing', async () => {
    const chat = new Chat(services, bot);
    const message = newMessage(chat, 'typo');
    const unknown = Array.from({ length: 150 }, (_none, index) => ({
      platformMessageId: `unknown ${index}`,
    }));
    await publishEdit(services, ...unknown.map((change) => editOf(message, 'x', change)));
    const kept = await services.harness.asOwner('select from agents.early_edits where conversation_id = $1', [
      chat.conversationId,
    ]);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(await conversationsOf(chat)).toEqual([]);
  });
});
