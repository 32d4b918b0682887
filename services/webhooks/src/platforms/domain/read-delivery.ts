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
  | 'isAddressed'
  | 'quote'
  | 'attachment'
  | 'albumId'
  | 'sentAt'
> & {
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

/** The meaning of a delivery for the bot, or the reason why it is ignored, which is counted. */
export type ReadContent =
  | { message: ReadMessage }
  | { edit: ReadEdit }
  | { callback: ReadCallback }
  | { membership: ReadMembership }
  | { migration: ReadMigration }
  | { ignored: string };

/** `eventId` identifies repeated deliveries; for an edit it is a growing number. */
export type ReadDelivery = ({ eventId: string } & ReadContent) | { malformed: string };
