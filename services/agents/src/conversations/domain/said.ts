import type { InboundMessage, Quote } from '@botyard/contracts/events/webhooks';
import type { StoredAttachment } from '../../store/stored-attachment.ts';

/** Something that a person said, with what they quoted while saying it. */
export interface Said {
  text: string;
  quote: Pick<Quote, 'text' | 'author'> | null;
  /** What came with it, with what could be read of it. */
  attachment?: Pick<StoredAttachment, 'kind' | 'name' | 'read'> | null;
  /** The picture that came with it is shown beside the words. */
  isShown?: boolean;
  mail?: InboundMessage['mail'] | null;
}

/** Something said in a conversation, by either side. */
export interface SaidBefore extends Said {
  direction: 'in' | 'out';
  /** Of what a colleague wrote in the bot's place. */
  staffId: string | null;
  /** Said to a colleague, while a person handled the chat. */
  isForStaff: boolean;
}
