import type { Attachment } from '@botyard/contracts/events/attachments';
import type { InboundMessage, Quote } from '@botyard/contracts/events/webhooks';

/** Something that a person said, with what they quoted while saying it. */
export interface Said {
  text: string;
  quote: Pick<Quote, 'text' | 'author'> | null;
  /** What came with it and can't be read; the model is told that it was there. */
  attachment?: Pick<Attachment, 'kind' | 'name'> | null;
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
