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
