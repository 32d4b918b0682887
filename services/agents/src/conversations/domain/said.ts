import type { InboundMessage, Quote } from '@botyard/contracts/events/webhooks';
import type { StoredAttachment } from '../../store/stored-attachment.ts';

/** Something that a person said, with what they quoted while saying it. */
export interface Said {
  text: string;
  quote: Pick<Quote, 'text' | 'author'> | null;
  /** The attachment, with its readable content. */
  attachment?: Pick<StoredAttachment, 'kind' | 'name' | 'read'> | null;
  /** The picture that came with it is shown beside the words. */
  isShown?: boolean;
  mail?: InboundMessage['mail'] | null;
}

/** Something said in a conversation, by either side. */
export interface SaidBefore extends Said {
  direction: 'in' | 'out';
  /** The colleague who wrote it in the bot's place. */
  staffId: string | null;
  /** Said to a colleague, while a person handled the chat. */
  isForStaff: boolean;
}
