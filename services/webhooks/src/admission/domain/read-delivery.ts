import type { EditedMessage, InboundMessage } from '@botyard/contracts/events/webhooks';

/** What was said, without what only our side knows. */
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
>;

/** How a message reads after an edit. What it quotes can't be edited. */
export type ReadEdit = Omit<ReadMessage, 'quote' | 'albumId'> & Pick<EditedMessage, 'editedAt'>;

/**
 * A press of a button beneath one of the bot's messages. It is acknowledged in any case, so that the person's client stops
 * waiting; what the button says is taken as said by whoever pressed it. `ignored` is why nothing was said.
 */
export type ReadCallback = { callbackQueryId: string } & ({ message: ReadMessage } | { ignored: string });

/** What became of the bot in a chat. `happenedAt` is the platform's moment, in seconds. */
export interface ReadMembership {
  platformChatId: string;
  happenedAt: number;
  state: 'active' | 'blocked';
  /** In words of ours; only when blocked. */
  reason?: string;
}

/** A chat is known by another name from now on. */
export interface ReadMigration {
  fromChatId: string;
  toChatId: string;
}

/** What a delivery is to the bot; or nothing, for a reason that is counted. */
export type ReadContent =
  | { message: ReadMessage }
  | { edit: ReadEdit }
  | { callback: ReadCallback }
  | { membership: ReadMembership }
  | { migration: ReadMigration }
  | { ignored: string };

/** By `eventId` it is known when it comes again; of an edit it is a number that grows. */
export type ReadDelivery = ({ eventId: string } & ReadContent) | { malformed: string };
