import type { Attachment, MediaMissing } from '@botyard/contracts/events/attachments';
import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';

/** The content of a file that an agent could be given, at the time of the answer. */
export interface ReadMedia {
  /** `late`: it had not arrived when the answer could wait no longer. */
  state: 'kept' | 'missing' | 'late';
  reason?: MediaMissing | undefined;
  name?: string | undefined;
  mediaType?: string | undefined;
  sizeBytes?: number | undefined;
  /** The beginning of a document's text. */
  text?: string | undefined;
  /** The transcript of a recording. */
  transcript?: string;
  /** `provider/model`. */
  transcribedBy?: string;
  /** The recording gave no text. */
  isUnheard?: true;
  /** Location of its bytes while a turn is answered. Not stored. */
  objectKey?: string | undefined;
}

/** The stored form in a message. */
export type StoredAttachment = Attachment & { read?: ReadMedia };

/** The template of a message of staff, whose words are the message's text. */
export type StoredTemplate = OutboundTemplate;
