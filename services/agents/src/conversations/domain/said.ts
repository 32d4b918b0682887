import type { InboundMessage, Quote } from '@botyard/contracts/events/webhooks';
import type { StoredAttachment } from '../../store/stored-attachment.ts';

/** A person's message, with the text that it quotes. */
export interface Said {
  text: string;
  /** The person who wrote it; absent for a message of the bot or of staff. */
  sender?: { platformUserId: string; name: string } | null;
  quote: Pick<Quote, 'text' | 'author'> | null;
  /** The attachment, with its readable content. */
  attachment?: Pick<StoredAttachment, 'kind' | 'name' | 'read'> | null;
  /** Whether the model also gets the picture that came with the message. */
  isShown?: boolean;
  mail?: InboundMessage['mail'] | null;
}

/** A message in a conversation, from either side. */
export interface SaidBefore extends Said {
  direction: 'in' | 'out';
  /** The colleague who wrote it in the bot's place. */
  staffId: string | null;
  /** Sent to a colleague, while a person handled the chat. */
  isForStaff: boolean;
}
