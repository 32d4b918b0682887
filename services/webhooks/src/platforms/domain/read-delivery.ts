import type { EditedMessage, InboundMessage } from '@botyard/contracts/events/webhooks';

/** A message, without the fields that the service adds. */
export type ReadMessage = Pick<
  InboundMessage,
  | 'chat'
  | 'sender'
  | 'platformMessageId'
  | 'text'
  | 'content'
  | 'command'
  | 'quote'
  | 'attachment'
  | 'albumId'
  | 'sentAt'
> & {
  /** How a group message addresses the bot; absent if it doesn't. The host decides what follows (`group-rules.ts`). */
  addressedBy?: 'mention' | 'reply' | 'command' | 'button' | undefined;
  /** The attachment to fetch once the message is admitted. It is not part of any event. */
  file?: ReadFile | undefined;
};

/** A file at its platform. */
export interface ReadFile {
  /** The adapter's reference for fetching it. Opaque to other code. */
  fileRef: string;
  /** The name that the sender gave it, or one by its kind. */
  name: string;
}

/** An edited message. Its quote can't be edited. */
export type ReadEdit = Omit<ReadMessage, 'quote' | 'albumId' | 'file'> & Pick<EditedMessage, 'editedAt'>;

/**
 * A press of a button under one of the bot's messages. It is always acknowledged, so that the person's client stops
 * waiting. The button's text counts as the person's message. `ignored` is the reason why there is no message.
 */
export type ReadCallback = { callbackQueryId: string } & ({ message: ReadMessage } | { ignored: string });

/** A change of the bot's state in a chat. `happenedAt` is the platform's time, in seconds. */
export interface ReadMembership {
  platformChatId: string;
  happenedAt: number;
  state: 'active' | 'blocked';
  /** A text of this service; only when blocked. */
  reason?: string;
}

/** A change of a chat's id. */
export interface ReadMigration {
  fromChatId: string;
  toChatId: string;
}

/** A person deleted a message. `deletedAt` as in ISO 8601, if the platform says it. */
export interface ReadDeletion {
  platformChatId: string;
  threadId?: string | undefined;
  platformMessageId: string;
  /** Further messages that it may have arrived as. */
  otherMessageIds?: readonly string[] | undefined;
  deletedAt?: string | undefined;
}

/** The fate of a message that the bot sent. `happenedAt` as in ISO 8601. */
export interface ReadStatus {
  platformChatId: string;
  platformMessageId: string;
  state: 'delivered' | 'read' | 'failed';
  /** In the platform's words; only when it failed. */
  reason?: string | undefined;
  happenedAt: string;
}

/** A person rated a message that the bot sent, or took the rating back: `null`. `ratedAt` as in ISO 8601. */
export interface ReadRating {
  platformChatId: string;
  /** Absent: the chat is one person's. */
  platformUserId?: string | undefined;
  platformMessageId: string;
  rating: 'up' | 'down' | null;
  /** Where a person can have several reactions at once: the one that was added or taken back. */
  reaction?: string | undefined;
  ratedAt: string;
}

/** A change of the integration's account: the app was removed or its tokens revoked, or the platform restricts it. */
interface ReadAccount {
  state: 'removed' | 'restricted' | 'active';
  reason: string;
  happenedAt: string;
}

/** A person's identifier changed. */
interface ReadPerson {
  from: string;
  to: string;
}

/** The meaning of a delivery for the bot, or the reason why it is ignored, which is counted. */
export type ReadContent =
  | { message: ReadMessage }
  | { edit: ReadEdit }
  | { callback: ReadCallback }
  | { membership: ReadMembership }
  | { migration: ReadMigration }
  | { deletion: ReadDeletion }
  | { status: ReadStatus }
  | { rating: ReadRating }
  | { account: ReadAccount }
  | { person: ReadPerson }
  /** Something else of the account changed: the integration is checked at once. */
  | { recheck: true }
  | { ignored: string };

/**
 * `eventId` identifies repeated deliveries of an integration; for an edit it is a growing number. `alsoKnownAs` are
 * further identifiers of the same message: a delivery is a duplicate if any of them was seen.
 */
export type ReadDelivery =
  | ({ eventId: string; alsoKnownAs?: readonly string[] | undefined } & ReadContent)
  | { malformed: string };
