/** The actions that the page offers people, and their errors. */
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import {
  editMessage,
  migrateGroup,
  pressButton,
  setMembership,
} from '@botyard/testing/messenger/chat-events';
import { chatOf, type Saying } from '@botyard/testing/messenger/chats';
import { mediaKinds, type SentFile } from '@botyard/testing/messenger/media';
import type { Bot, Chat, Delivery, Entry, MediaKind, PlatformUser } from '@botyard/testing/messenger/types';
import { chatPeople } from './people.ts';

/** An error whose message the page shows unchanged. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type ChatContext = {
  messenger: FakeMessenger;
  bot: Bot;
  chatId: number;
  body: Record<string, unknown>;
};

const photosInAlbum = 3;
const maxTextUnits = 4096;
const maxCaptionUnits = 1024;

/** Returns the acting person. Without `personId`, a private chat's person acts. */
function actor({ chatId, body }: ChatContext): PlatformUser {
  const { personId, name } = body;
  const existingPerson = chatPeople.find(({ id }) => id === (personId ?? chatId));
  if (chatId > 0 && personId !== undefined && personId !== chatId)
    throw new Refusal(403, 'a private chat belongs to one person');
  if (existingPerson !== undefined) return existingPerson;
  if (personId !== undefined) throw new Refusal(400, 'there is no person with this personId');
  if (chatId < 0) return chatPeople[0] as PlatformUser;
  const first_name =
    typeof name === 'string' && name.trim() !== '' ? name.toWellFormed().slice(0, 64) : 'Sam';
  return { id: chatId, is_bot: false, first_name };
}

/** Returns the chat. A private chat is created with its first message; a group must exist. */
function openChat({ bot, chatId }: ChatContext): Chat {
  const chat = chatId > 0 ? chatOf(bot, chatId) : bot.chats.get(String(chatId));
  if (chat === undefined || chatId === 0) throw new Refusal(404, 'no such chat');
  if (chat.refusal?.migratedTo !== undefined) throw new Refusal(409, 'this group has become a supergroup');
  return chat;
}

function textOf(body: Record<string, unknown>, { min = 1, max = maxTextUnits } = {}): string {
  const text = typeof body.text === 'string' ? body.text.toWellFormed() : '';
  if (text.trim().length < min || text.length > max)
    throw new Refusal(400, `text must have ${min} to ${max} characters`);
  return text;
}

export function say(context: ChatContext): Delivery {
  const { messenger, bot, chatId, body } = context;
  const from = actor(context);
  const chat = openChat(context);
  if (chatId > 0 && chat.refusal !== undefined)
    throw new Refusal(409, 'you have blocked the bot: unblock it first');
  const isAlbum = body.media === 'album';
  const file = fileOf(body.file);
  const media = isAlbum ? 'photo' : (mediaOf(body.media) ?? (file && kindOf(file)));
  const text = media === undefined ? textOf(body) : textOf(body, { min: 0, max: maxCaptionUnits });
  const saying: Saying & { botToken: string } = {
    botToken: bot.token,
    chatId,
    text,
    from,
    ...(media === undefined ? {} : { media }),
    ...(file === undefined ? {} : { file }),
    ...placeOf(chat, body.threadId),
    ...replyOf(chat, body),
  };
  if (!isAlbum) return messenger.say(saying);
  const albumId = String(Date.now());
  const first = messenger.say({ ...saying, albumId });
  for (let photo = 1; photo < photosInAlbum; photo += 1) messenger.say({ ...saying, text: '', albumId });
  return first;
}

/** Reads a file from its name and its bytes as base64. */
function fileOf(file: unknown): (SentFile & { name: string }) | undefined {
  if (file === undefined) return undefined;
  const { name, base64 } = (file ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '' || typeof base64 !== 'string')
    throw new Refusal(400, 'file must have a name and its bytes as base64');
  return { name, bytes: Buffer.from(base64, 'base64') };
}

const kindsByEnding: readonly [RegExp, MediaKind][] = [
  [/\.(?:jpe?g|png|webp)$/i, 'photo'],
  [/\.(?:ogg|oga|opus)$/i, 'voice'],
  [/\.(?:mp3|m4a|wav)$/i, 'audio'],
  [/\.mp4$/i, 'video'],
];

/** Returns the kind that a person's app would choose. */
const kindOf = ({ name }: { name: string }): MediaKind =>
  kindsByEnding.find(([ending]) => ending.test(name))?.[1] ?? 'document';

function mediaOf(media: unknown): MediaKind | undefined {
  if (media === undefined) return undefined;
  const kind = mediaKinds.find((one) => one === media);
  if (kind === undefined) throw new Refusal(400, `media must be one of album, ${mediaKinds.join(', ')}`);
  return kind;
}

function placeOf(chat: Chat, threadId: unknown): { threadId?: number } {
  if (threadId === undefined) return {};
  const topic = chat.topics?.find((one) => one.threadId === threadId);
  if (topic === undefined) throw new Refusal(404, 'no such topic');
  return { threadId: topic.threadId };
}

function replyOf(chat: Chat, { replyToMessageId, quote }: Record<string, unknown>): Partial<Saying> {
  if (replyToMessageId === undefined) return {};
  const target = writtenIn(chat, replyToMessageId);
  if (quote === undefined) return { replyToMessageId: target.messageId };
  if (typeof quote !== 'string' || quote === '' || !target.text.includes(quote))
    throw new Refusal(400, 'quote must be a part of the text that is replied to');
  return { replyToMessageId: target.messageId, quote };
}

function writtenIn(chat: Chat, messageId: unknown): Entry {
  const entry = chat.entries.find((one) => one.messageId === messageId && !one.isEvent);
  if (entry === undefined) throw new Refusal(404, 'no such message in this chat');
  if (entry.isFromBefore) throw new Refusal(409, 'this message is in the group that became this supergroup');
  return entry;
}

/** Edits a text or a caption. People can edit only their own messages. */
export function edit(context: ChatContext, messageId: number): Delivery {
  const { messenger, bot, chatId, body } = context;
  const from = actor(context);
  const entry = writtenIn(openChat(context), messageId);
  if (entry.direction !== 'in' || entry.fromId !== from.id)
    throw new Refusal(403, 'you can edit only your own messages');
  const text = textOf(body, { max: entry.media === undefined ? maxTextUnits : maxCaptionUnits });
  return editMessage(messenger, { botToken: bot.token, chatId, from, messageId, text });
}

/** Presses a button of the message, or a former button if the message no longer has any. */
export function press(context: ChatContext, messageId: number): { queryId: string } {
  const { messenger, bot, chatId, body } = context;
  const from = actor(context);
  const entry = writtenIn(openChat(context), messageId);
  if (entry.direction !== 'out') throw new Refusal(403, 'only messages of the bot have buttons');
  const { data } = body;
  if (typeof data !== 'string' || data === '' || Buffer.byteLength(data) > 64)
    throw new Refusal(400, 'data must have 1 to 64 bytes');
  const buttons = (entry.buttons ?? []).flat();
  if (buttons.length > 0 && !buttons.some((button) => button.data === data))
    throw new Refusal(404, 'the message has no such button');
  const { queryId } = pressButton(messenger, { botToken: bot.token, chatId, messageId, data, from });
  return { queryId };
}

/** `isMember: false` blocks the bot or removes it from the group. */
export function changeMembership(context: ChatContext): void {
  const { messenger, bot, chatId, body } = context;
  const from = actor(context);
  const chat = openChat(context);
  const { isMember } = body;
  if (typeof isMember !== 'boolean') throw new Refusal(400, 'isMember must be true or false');
  if (isMember === (chat.refusal === undefined)) throw new Refusal(409, 'isMember already has this value');
  setMembership(messenger, { botToken: bot.token, chatId, from, isMember });
}

export function migrate(context: ChatContext): number {
  const { messenger, bot, chatId } = context;
  const from = actor(context);
  const chat = openChat(context);
  if (chat.about.type !== 'group') throw new Refusal(409, 'only a group can become a supergroup');
  if (chat.refusal !== undefined) throw new Refusal(409, 'the bot is not in this group');
  return migrateGroup(messenger, { botToken: bot.token, chatId, from });
}
