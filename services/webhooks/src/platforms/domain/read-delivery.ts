import type { EditedMessage, InboundMessage } from '@botyard/contracts/events/webhooks';

/** A message, without what only our side knows. */
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
  /** The attachment, where it is fetched once the message was admitted. It goes into no event. */
  file?: ReadFile | undefined;
};

/** A file at its platform. */
export interface ReadFile {
  /** The adapter's reference to fetch it. Opaque to others. */
  fileRef: string;
  /** The sender's name for it, or one by its kind. */
  name: string;
}

/** A message after an edit. Its quotation can't be edited. */
export type ReadEdit = Omit<ReadMessage, 'quote' | 'albumId' | 'file'> & Pick<EditedMessage, 'editedAt'>;

/**
 * A press of a button beneath one of the bot's messages. It is acknowledged in any case, so that the person's client
 * stops waiting; the button's text counts as said by the person. `ignored` is why nothing was said.
 */
export type ReadCallback = { callbackQueryId: string } & ({ message: ReadMessage } | { ignored: string });

/** A change of the bot's state in a chat. `happenedAt` is the platform's moment, in seconds. */
export interface ReadMembership {
  platformChatId: string;
  happenedAt: number;
  state: 'active' | 'blocked';
  /** Our own text; only when blocked. */
  reason?: string;
}

/** A change of a chat's id. */
export interface ReadMigration {
  fromChatId: string;
  toChatId: string;
}

/** A delivery's meaning for the bot; or nothing, for a reason that is counted. */
export type ReadContent =
  | { message: ReadMessage }
  | { edit: ReadEdit }
  | { callback: ReadCallback }
  | { membership: ReadMembership }
  | { migration: ReadMigration }
  | { ignored: string };

/** `eventId` identifies repeated deliveries; for an edit it is a growing number. */
export type ReadDelivery = ({ eventId: string } & ReadContent) | { malformed: string };
