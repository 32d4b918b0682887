/** The Bot API's methods. */
import type { RecordLog } from '../fake/record-log.ts';
import { answerCallback, inlineKeyboard } from './buttons.ts';
import { botAsUser, chatOf } from './chats.ts';
import { chatIdOf, checkedMessage } from './checked-message.ts';
import type { FileShelf } from './media.ts';
import type { Polls } from './polling.ts';
import type { FormFile } from './read-params.ts';
import {
  type Bot,
  type BotCommand,
  badRequest,
  type Entry,
  type MessengerEvent,
  PlatformError,
  type Sent,
} from './types.ts';
import { deleteWebhook, setWebhook, type WebhookChange, type WebhookRules, webhookInfo } from './webhook.ts';

/** The parts of the messenger that methods use. */
interface Messenger {
  readonly rules: WebhookRules;
  readonly polls: Polls;
  readonly files: FileShelf;
  readonly sent: RecordLog<Sent>;
  emit(event: MessengerEvent): void;
  pending(bot: Bot): number;
  blockedBecause(chatId: number | string): string | undefined;
  addEntry(bot: Bot, chatId: string, entry: Entry): void;
  webhookChanged(bot: Bot, change: WebhookChange): void;
}

type MethodCall = { fake: Messenger; bot: Bot; params: Record<string, unknown> };
type Outcome = { result: unknown; description?: string };
type Run = (call: MethodCall) => Outcome | Promise<Outcome>;
type Method = { name: string; run: Run };

/** The platform serves no larger files. */
const maxBytesOfFile = 20 * 1024 * 1024;

/** How long the platform shows a chat action. */
const chatActionMs = 5000;

const chatActions = new Set(
  `typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location
   record_video_note upload_video_note`.split(/\s+/),
);

const methods: Record<string, Run> = {
  getMe: ({ bot }) => ({ result: aboutBot(bot) }),
  setWebhook: ({ fake, bot, params }) => webhookOutcome(fake, bot, setWebhook(bot, params, fake.rules)),
  deleteWebhook: ({ fake, bot, params }) => webhookOutcome(fake, bot, deleteWebhook(bot, params)),
  getWebhookInfo: ({ fake, bot }) => ({ result: webhookInfo(bot, fake.pending(bot)) }),
  getUpdates,
  getFile,
  sendMessage,
  sendPhoto: (call) => sendFile(call, 'photo'),
  sendDocument: (call) => sendFile(call, 'document'),
  sendChatAction,
  setMyCommands,
  getMyCommands: ({ bot, params }) => ({
    result: bot.commandsByLanguage[languageOf(params)] ?? bot.commands,
  }),
  deleteMyCommands: (call) => changeCommands(call, []),
  answerCallbackQuery: ({ fake, bot, params }) => {
    fake.emit(answerCallback(bot, params));
    return { result: true };
  },
};

const byLowerName = new Map<string, Method>(
  Object.entries(methods).map(([name, run]) => [name.toLowerCase(), { name, run }]),
);

/** Names are case-insensitive. */
export function findMethod(name: string): Method | undefined {
  return byLowerName.get(name.toLowerCase());
}

function aboutBot(bot: Bot): Record<string, unknown> {
  return {
    ...botAsUser(bot),
    can_join_groups: true,
    can_read_all_group_messages: bot.canReadAllGroupMessages,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
  };
}

function webhookOutcome(fake: Messenger, bot: Bot, change: WebhookChange): Outcome {
  if (change.changed && bot.webhook) fake.polls.end(bot, 'terminated by setWebhook request');
  fake.webhookChanged(bot, change);
  return { result: true, description: change.description };
}

function getFile({ fake, params }: MethodCall): Outcome {
  const file = fake.files.find(String(params.file_id ?? ''));
  if (file === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (file.bytes.length > maxBytesOfFile) throw badRequest('file is too big');
  const { path, bytes } = file;
  return { result: { file_id: params.file_id, file_size: bytes.length, file_path: path } };
}

async function getUpdates({ fake, bot, params }: MethodCall): Promise<Outcome> {
  const wasAsked = fake.polls.isAsked(bot);
  const updates = fake.polls.getUpdates(bot, params);
  if (!wasAsked) fake.emit({ type: 'bot', botId: bot.id });
  return { result: await updates };
}

function refuseUnreachable({ fake, bot }: MethodCall, chatId: number | string, threadId?: number): void {
  const blocked = fake.blockedBecause(chatId);
  if (blocked !== undefined) throw new PlatformError(403, blocked);
  const { refusal, topics } = bot.chats.get(String(chatId)) ?? {};
  if (refusal !== undefined) {
    const { status, description, migratedTo } = refusal;
    throw new PlatformError(
      status,
      description,
      migratedTo === undefined ? undefined : { migrate_to_chat_id: migratedTo },
    );
  }
  const isTopic =
    threadId === undefined || topics === undefined || topics.some((topic) => topic.threadId === threadId);
  if (!isTopic) throw badRequest('message thread not found');
}

function sendMessage(call: MethodCall): Outcome {
  const { fake, bot, params } = call;
  const message = checkedMessage(params);
  const buttons = inlineKeyboard(params.reply_markup);
  refuseUnreachable(call, message.chatId, message.threadId);
  const chat = chatOf(bot, message.chatId);
  const entry: Entry = {
    messageId: bot.nextMessageId++,
    direction: 'out',
    text: message.text,
    from: bot.firstName,
    sentAt: new Date().toISOString(),
    ...(message.html === undefined ? {} : { html: message.html }),
    ...(message.entities.length === 0 ? {} : { entities: message.entities }),
    ...(buttons.length === 0 ? {} : { buttons }),
    ...(message.threadId === undefined ? {} : { threadId: message.threadId }),
    ...(message.replyToMessageId === undefined ? {} : { replyToMessageId: message.replyToMessageId }),
  };
  chat.typingUntil = 0;
  fake.addEntry(bot, String(message.chatId), entry);
  fake.sent.add({ bot, chatId: String(message.chatId), entry, params });
  const result = {
    message_id: entry.messageId,
    from: botAsUser(bot),
    chat: chat.about,
    date: Math.floor(Date.parse(entry.sentAt) / 1000),
    text: message.text,
    ...(message.entities.length === 0 ? {} : { entities: message.entities }),
    ...(message.threadId === undefined ? {} : { message_thread_id: message.threadId }),
  };
  return { result };
}

/** The largest uploads. */
const maxUploadBytes = { photo: 10 * 1024 * 1024, document: 50 * 1024 * 1024 };

function sendFile(call: MethodCall, kind: 'photo' | 'document'): Outcome {
  const { fake, bot, params } = call;
  const chatId = chatIdOf(params);
  const file = params[kind] as Partial<FormFile> | undefined;
  if (!Buffer.isBuffer(file?.bytes)) throw badRequest(`there is no ${kind} in the request`);
  const { fileName: name = '', contentType: mediaType = '', bytes } = file;
  if (bytes.length === 0) throw badRequest('file must be non-empty');
  if (bytes.length > maxUploadBytes[kind]) throw new PlatformError(413, 'Request Entity Too Large');
  if (kind === 'photo' && !isPicture(bytes)) throw badRequest('IMAGE_PROCESS_FAILED');
  const thread = Number(params.message_thread_id);
  const place = thread > 1 ? { threadId: thread } : {};
  refuseUnreachable(call, chatId, place.threadId);
  const entry: Entry = {
    messageId: bot.nextMessageId++,
    direction: 'out',
    text: String(params.caption ?? ''),
    from: bot.firstName,
    sentAt: new Date().toISOString(),
    media: kind,
    file: { name, mediaType, bytes },
    ...place,
  };
  const chat = chatOf(bot, chatId);
  chat.typingUntil = 0;
  fake.addEntry(bot, String(chatId), entry);
  fake.sent.add({ bot, chatId: String(chatId), entry, params });
  const date = Math.floor(Date.parse(entry.sentAt) / 1000);
  return { result: { message_id: entry.messageId, from: botAsUser(bot), chat: chat.about, date } };
}

/** JPEG, PNG or WebP, by their first bytes. */
const isPicture = (bytes: Buffer): boolean =>
  bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) ||
  bytes.subarray(0, 4).equals(Buffer.from('89504e47', 'hex')) ||
  bytes.subarray(8, 12).toString() === 'WEBP';

function sendChatAction(call: MethodCall): Outcome {
  const { fake, bot, params } = call;
  const chatId = chatIdOf(params);
  const thread = Number(params.message_thread_id);
  const place = thread > 1 ? { threadId: thread } : {};
  if (!chatActions.has(String(params.action ?? ''))) throw badRequest('wrong parameter action in request');
  refuseUnreachable(call, chatId, place.threadId);
  const chat = chatOf(bot, chatId);
  chat.typingUntil = Date.now() + chatActionMs;
  delete chat.typingThreadId;
  if (place.threadId !== undefined) chat.typingThreadId = place.threadId;
  fake.emit({ type: 'typing', botId: bot.id, chatId: String(chatId), forMs: chatActionMs, ...place });
  return { result: true };
}

function setMyCommands(call: MethodCall): Outcome {
  const rawCommands = call.params.commands;
  let list: unknown = rawCommands;
  try {
    list = typeof rawCommands === 'string' ? JSON.parse(rawCommands) : rawCommands;
  } catch {
    throw badRequest("can't parse commands JSON array");
  }
  if (!Array.isArray(list)) throw badRequest("can't parse commands: expected an Array");
  if (list.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  const commands: BotCommand[] = list.map((one: Partial<BotCommand>) => {
    const command = String(one.command ?? '').replace(/^\//, '');
    const description = String(one.description ?? '');
    if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
    if (description === '' || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    return { command, description };
  });
  return changeCommands(call, commands);
}

const languageOf = (params: MethodCall['params']): string => String(params.language_code ?? '');

function changeCommands({ fake, bot, params }: MethodCall, commands: BotCommand[]): Outcome {
  const language = languageOf(params);
  if (!/^([a-z]{2})?$/.test(language)) throw badRequest('LANG_CODE_INVALID');
  if (language === '') bot.commands = commands;
  else bot.commandsByLanguage[language] = commands;
  fake.emit({ type: 'bot', botId: bot.id });
  return { result: true };
}
