/** Chats and messages of a bot, under `/bots/<id or username>/chats`. */

import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { Bot, Chat } from '@botyard/testing/messenger/types';
import { type ChatContext, changeMembership, edit, migrate, press, Refusal, say } from './actions.ts';
import { chatPeople, chatsOf, openGroup } from './people.ts';

export type ApiRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
};

const maxGroups = 20;
const shape =
  /^\/bots\/([^/]+)\/chats(?:\/(-?\d{1,15})\/(messages|membership|migration)(?:\/(\d{1,15})\/(edit|press))?)?$/;

/** Returns `undefined` if the path is not one of chats. */
export function answerChats(messenger: FakeMessenger | undefined, request: ApiRequest): Answer | undefined {
  const [, name, chatId, what, messageId, action] = shape.exec(request.path) ?? [];
  if (name === undefined || messenger === undefined) return undefined;
  const bot = messenger.bots.find(
    (one) => String(one.id) === name || one.username.toLowerCase() === name.toLowerCase(),
  );
  if (bot === undefined) return { status: 404, body: { error: 'no such bot' } };
  try {
    const { method, body } = request;
    if (chatId === undefined) return answerList(messenger, bot, request);
    const context: ChatContext = { messenger, bot, chatId: Number(chatId), body };
    if (method === 'GET' && what === 'messages' && action === undefined)
      return { status: 200, body: history(bot, chatId) };
    if (method !== 'POST') return { status: 405, body: { error: 'the method must be GET or POST' } };
    if (action === 'press') return { status: 201, body: press(context, Number(messageId)) };
    if (action === 'edit') return { status: 200, body: deliveryOf(edit(context, Number(messageId))) };
    if (what === 'migration') return { status: 201, body: { chatId: String(migrate(context)) } };
    if (what === 'messages') return { status: 201, body: deliveryOf(say(context)) };
    changeMembership(context);
    return { status: 200, body: {} };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

function answerList(messenger: FakeMessenger, bot: Bot, { method, query, body }: ApiRequest): Answer {
  if (method === 'POST') return newGroup(messenger, bot, body);
  const personId = Number(query.get('as') ?? chatPeople[0]?.id);
  if (!chatPeople.some(({ id }) => id === personId))
    throw new Refusal(400, 'there is no person with this number');
  return { status: 200, body: chatsOf(messenger, bot, personId).map(aboutChat) };
}

function newGroup(messenger: FakeMessenger, bot: Bot, { title }: Record<string, unknown>): Answer {
  if (typeof title !== 'string' || title.trim() === '' || title.length > 128)
    throw new Refusal(400, 'title must have 1 to 128 characters');
  const groups = [...bot.chats.values()].filter(({ about }) => about.type !== 'private');
  if (groups.length >= maxGroups)
    throw new Refusal(409, `a bot can have at most ${maxGroups} groups in the sandbox`);
  return { status: 201, body: aboutChat(openGroup(messenger, bot, title.trim().toWellFormed())) };
}

function aboutChat({ about, topics, entries, refusal }: Chat): Record<string, unknown> {
  return {
    chatId: String(about.id),
    kind: about.type,
    title: about.title ?? (about.type === 'private' ? '' : 'Group'),
    isMember: refusal === undefined,
    topics: topics ?? [],
    /** The newest message of each topic, including messages without a topic. */
    last: newestByTopic(entries),
  };
}

function newestByTopic(entries: Chat['entries']): Chat['entries'] {
  return [...new Map(entries.map((entry) => [entry.threadId, entry])).values()];
}

function history(bot: Bot, chatId: string): Record<string, unknown> {
  const chat = bot.chats.get(chatId);
  const typingForMs = Math.max(0, (chat?.typingUntil ?? 0) - Date.now());
  return { messages: chat?.entries ?? [], typingForMs, typingThreadId: chat?.typingThreadId ?? null };
}

function deliveryOf({ source, update, updateId, state }: ReturnType<typeof say>): Record<string, unknown> {
  const edited = update.edited_message as { message_id?: number } | undefined;
  return { messageId: source?.messageId ?? edited?.message_id, updateId, state };
}
