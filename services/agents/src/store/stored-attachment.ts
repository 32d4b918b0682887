import type { Attachment, MediaMissing } from '@botyard/contracts/events/attachments';

/** What an agent could be told of a file, as it was when its message was answered. */
export interface ReadMedia {
  /** `late`: it had not come when the answer could wait no longer. */
  state: 'kept' | 'missing' | 'late';
  reason?: MediaMissing | undefined;
  name?: string | undefined;
  mediaType?: string | undefined;
  sizeBytes?: number | undefined;
  /** The beginning of a document's text. */
  text?: string | undefined;
  /** What was said in a recording. */
  transcript?: string;
  /** `provider/model`. */
  transcribedBy?: string;
  /** Nothing could be made of a recording. */
  isUnheard?: true;
  /** Where its bytes are, while a turn is answered. It is not stored. */
  objectKey?: string | undefined;
}

/** As a message keeps it. */
export type StoredAttachment = Attachment & { read?: ReadMedia };
