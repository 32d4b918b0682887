import { randomUUID } from 'node:crypto';
import { type DeletedMessage, messageDeleted, messageReceived } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { deletionOf, editOf, publishEdit } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  const first = new Chat(services, bot);
  await first.say('hello');
  await first.answers(1);
});

afterAll(() => services?.close());

const newMessage = (chat: Chat, text: string, change: object = {}) =>
  chat.message(text, { platformMessageId: randomUUID(), ...change });

const publish = (message: ReturnType<Chat['message']>) => services.harness.publish(messageReceived, message);

const remove = async (...deletions: DeletedMessage[]) => {
  await Promise.all(deletions.map((deletion) => services.harness.publish(messageDeleted, deletion)));
  await services.harness.settled('agents', 'webhooks');
};

async function incomingOf({ conversationId }: Chat) {
  const as = services.acme.admin;
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [conversationId],
  );
  const path = `/api/interactions/chats/${row!.chat_id}/messages?direction=in`;
  return (await services.agents.call('GET', path, { as })).body;
}

/** Tables of the service that hold this text anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await services.harness.asOwner<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'agents'`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows = await services.harness.asOwner(
      `select from agents.${name} t where position($1 in to_jsonb(t)::text) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}

test('a deleted message is shown without its content, and is no context of later answers', async () => {
  const chat = new Chat(services, bot);
  const message = newMessage(chat, 'my card is 4111-once', {
    attachment: { kind: 'document', name: '4111-once.pdf', sizeBytes: 3 },
  });
  await publish(message);
  await chat.answers(1);
  const quoting = newMessage(chat, 'see above', {
    quote: { kind: 'reply', text: 'my card is 4111-once', platformMessageId: message.platformMessageId },
  });
  await publish(quoting);
  await chat.answers(2);
  const deletion = deletionOf(message);
  await remove(deletion, deletion);
  await remove({ ...deletion, deletedAt: new Date(Date.now() + 5000).toISOString() });
  await publishEdit(services, editOf(message, 'my card is 4111-once!'));
  await chat.isIdle();
  expect(await incomingOf(chat)).toEqual([
    expect.objectContaining({ text: 'see above' }),
    expect.objectContaining({ text: '', status: 'answered', deletedAt: deletion.deletedAt }),
  ]);
  expect((await incomingOf(chat))[1]).not.toHaveProperty('attachment');
  await chat.say('and now?');
  await chat.answers(3);
  const { messages } = services.model.requests.last!;
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content));
  expect(said.join()).toContain('see above');
  expect(said.join()).not.toContain('4111-once');
});

test('a deletion removes the summary that holds the message', async () => {
  const chat = new Chat(services, bot);
  const message = newMessage(chat, 'secret of a summary');
  await publish(message);
  await chat.answers(1);
  const { conversationId } = chat;
  await services.harness.asOwner(
    `insert into agents.summaries (tenant_id, conversation_id, text, lease_until)
     select tenant_id, conversation_id, 'a secret', now() from agents.conversations where conversation_id = $1`,
    [conversationId],
  );
  await services.harness.asOwner(
    `update agents.conversations set summarized_until = (select max(message_id::text)::uuid from agents.messages
     where conversation_id = $1) where conversation_id = $1`,
    [conversationId],
  );
  await remove(deletionOf(message));
  const left = await services.harness.asOwner(
    `select summarized_until as until, (select count(*)::int from agents.summaries where conversation_id = $1) as summaries
     from agents.conversations where conversation_id = $1`,
    [conversationId],
  );
  expect(left).toEqual([{ until: null, summaries: 0 }]);
});

test('a message that is deleted before its turn is not answered, and later ones are', async () => {
  const chat = new Chat(services, bot);
  services.model.hang();
  const request = services.model.nextRequest();
  await chat.say('first');
  await request;
  const message = newMessage(chat, 'never mind');
  await publish(message);
  await services.harness.settled('agents', 'webhooks');
  await remove(deletionOf(message));
  await publish(newMessage(chat, 'second'));
  services.model.release();
  expect(await chat.answers(2)).toEqual(['re: first', 're: second']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(2);
});

test('a deletion that arrives before its message wins, with any edit of it', async () => {
  const chat = new Chat(services, bot);
  const message = newMessage(chat, 'deleted-early');
  const quote = { kind: 'reply', text: 'deleted-early' };
  await publishEdit(services, editOf(message, 'deleted-early 2'));
  await remove(deletionOf(message));
  await publishEdit(services, editOf(message, 'deleted-early 3'));
  await publish({ ...message, quote } as typeof message);
  await publish(newMessage(chat, 'kept'));
  expect(await chat.answers(1)).toEqual(['re: kept']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
  expect(await incomingOf(chat)).toMatchObject([
    { text: 'kept' },
    { text: '', status: 'ignored', deletedAt: expect.any(String) },
  ]);
  expect(await tablesWith('deleted-early')).toEqual([]);
});

test('a deletion and its message at the same moment leave nothing of it, in either order', async () => {
  const chats = Array.from({ length: 40 }, () => new Chat(services, bot));
  const messages = chats.map((chat) => newMessage(chat, 'deleted-at-once'));
  await Promise.all([...messages.map(publish), remove(...messages.map((message) => deletionOf(message)))]);
  await services.harness.settled('agents', 'webhooks');
  for (const chat of chats) await chat.isIdle();
  expect(await incomingOf(chats[0]!)).toMatchObject([{ text: '', deletedAt: expect.any(String) }]);
  const rows = await services.harness.asOwner(
    `select from agents.messages where direction = 'in' and text <> '' and conversation_id = any ($1::uuid[])`,
    [chats.map(({ conversationId }) => conversationId)],
  );
  expect(rows).toEqual([]);
});

test('a deletion empties no other message: of another conversation, another tenant, or of the bot', async () => {
  const chat = new Chat(services, bot);
  const message = newMessage(chat, 'mine');
  await publish(message);
  await chat.answers(1);
  await remove({ ...deletionOf(message), conversationId: randomUUID() });
  await remove({ ...deletionOf(message), tenantId: services.other.tenantId });
  await remove({ ...deletionOf(message), platformMessageIds: ['unknown'] });
  expect((await chat.written()).map(({ text }) => text)).toEqual(['mine']);
  expect(await chat.replies()).toHaveLength(1);
});
