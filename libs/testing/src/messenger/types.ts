/** State of the fake messenger. Wire shapes (`PlatformUser`, `Update`, …) have the platform's own field names. */

export type PlatformUser = {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
};

export type PlatformChat = {
  id: number | string;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string;
  first_name?: string;
  last_name?: string;
  username?: string;
  is_forum?: boolean;
};

export type Entity = { type: string; offset: number; length: number; url?: string; language?: string };

/** One kind of content beside `update_id`. */
export type Update = { update_id: number } & Record<string, unknown>;

export type Webhook = {
  url: string;
  secretToken: string | undefined;
  maxConnections: number;
  ipAddress: string | undefined;
  lastErrorAt?: number;
  lastErrorMessage?: string;
};

export type BotCommand = { command: string; description: string };

type DeliveryState = 'queued' | 'delivered' | 'retrying' | 'dropped' | 'withheld';

export type DeliveryAttempt = { at: number; status?: number; error?: string };

/**
 * One update being delivered to a webhook. `withheld`: the platform never sends it (privacy mode, `allowed_updates`).
 */
export type Delivery = {
  botId: number;
  updateId: number;
  update: Update;
  /** Updates of one queue are delivered one after the other. */
  queue: string;
  expiresAt: number;
  state: DeliveryState;
  attempts: DeliveryAttempt[];
  /** Milliseconds until the next attempt, while `retrying`. */
  retryInMs?: number;
  /** The message's place in a chat's history. */
  source?: { chatId: string; messageId: number };
};

/** One message of a chat's history, in either direction. */
export type Entry = {
  messageId: number;
  direction: 'in' | 'out';
  text: string;
  /** The platform's HTML, if the bot sent any. */
  html?: string;
  /** Formatting of the text: clients show this instead of HTML. */
  entities?: Entity[];
  from: string;
  /** The person who sent it, if a person did. */
  fromId?: number;
  sentAt: string;
  editedAt?: string;
  media?: MediaKind;
  /** The file that a bot has sent. */
  file?: { name: string; mediaType: string; bytes: Buffer };
  /** Messages of one album share it. */
  albumId?: string;
  /** The part of the replied-to message that was marked. */
  quote?: string;
  /** An inline keyboard, row by row. */
  buttons?: Button[][];
  /** An event in the chat, without an author. */
  isEvent?: boolean;
  /** Copied from the group that became this supergroup: read only. */
  isFromBefore?: boolean;
  threadId?: number;
  replyToMessageId?: number;
  delivery?: {
    state: DeliveryState;
    attempts: number;
    lastStatus?: number;
    lastError?: string;
    retryInMs?: number;
  };
};

export type MediaKind = 'photo' | 'voice' | 'audio' | 'video' | 'video_note' | 'sticker' | 'document';

export type Button = { text: string; data?: string; url?: string };

export type Topic = { threadId: number; name: string };

export type Chat = {
  about: PlatformChat;
  entries: Entry[];
  typingUntil: number;
  typingThreadId?: number;
  /** Topics of a forum. If absent, any thread counts as a topic. */
  topics?: Topic[];
  /** The reason why the bot can't send here: it was blocked or removed, or the group has become a supergroup. */
  refusal?: { status: number; description: string; migratedTo?: number };
};

export type Bot = {
  id: number;
  token: string;
  username: string;
  firstName: string;
  canReadAllGroupMessages: boolean;
  webhook: Webhook | undefined;
  /** `undefined`: the platform's default kinds. Survives deleting the webhook. */
  allowedUpdates: string[] | undefined;
  nextSetWebhookAt: number;
  commands: BotCommand[];
  /** Replaces those for people whose app uses that language. */
  commandsByLanguage: Record<string, BotCommand[]>;
  /** Pressed buttons that the bot has not acknowledged yet. */
  openCallbacks: string[];
  nextUpdateId: number;
  nextMessageId: number;
  chats: Map<string, Chat>;
};

export type MessengerEvent =
  | { type: 'bot'; botId: number }
  | { type: 'message'; botId: number; chatId: string; entry: Entry }
  | { type: 'edit'; botId: number; chatId: string; entry: Entry }
  | { type: 'chat'; botId: number; chatId: string }
  | { type: 'typing'; botId: number; chatId: string; forMs: number; threadId?: number }
  | { type: 'callback'; botId: number; queryId: string; text: string; isAlert: boolean }
  | { type: 'delivery'; botId: number; chatId: string; entry: Entry };

/** A refusal in the platform's words. */
export class PlatformError extends Error {
  readonly status: number;
  readonly parameters: Record<string, unknown> | undefined;

  constructor(status: number, description: string, parameters?: Record<string, unknown>) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

export function badRequest(description: string): PlatformError {
  return new PlatformError(400, `Bad Request: ${description}`);
}

export function tooManyRequests(retryAfterSeconds: number): PlatformError {
  return new PlatformError(429, `Too Many Requests: retry after ${retryAfterSeconds}`, {
    retry_after: retryAfterSeconds,
  });
}

/** A message of a bot, with the parameters of the call that sent it. */
export type Sent = { bot: Bot; chatId: string; entry: Entry; params: Record<string, unknown> };
