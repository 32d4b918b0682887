import { z } from 'zod';

/** An attachment of a message. It never contains the platform's URL or identifier of a file. */
export const Attachment = z.object({
  /** In the platform's words: `photo`, `voice`, `sticker`, `document`, …; `unknown` if it doesn't say. */
  kind: z.string(),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  sizeBytes: z.int().nonnegative().optional(),
  /** The webhooks service fetches the file and reports the result by this identifier. Absent: no file is fetched. */
  mediaId: z.uuid().optional(),
});
export type Attachment = z.output<typeof Attachment>;

/** The reason why a document's text could not be read: its size, the time that it takes, or its content. */
export const TextMissing = z.enum(['too_large', 'too_slow', 'unreadable']);
export type TextMissing = z.output<typeof TextMissing>;

/** A file attached to an email, with the beginning of its text if any could be read. */
export const MailDocument = z.object({
  name: z.string(),
  /** Detected from the bytes, not taken from the sender. */
  mediaType: z.string(),
  sizeBytes: z.int().nonnegative(),
  text: z.string().optional(),
  textMissing: TextMissing.optional(),
});
export type MailDocument = z.output<typeof MailDocument>;

/** The reason why a file of a chat isn't stored: too large, not provided by the platform, no room, or expired. */
export const MediaMissing = z.enum(['too_large', 'unavailable', 'storage_full', 'expired']);
export type MediaMissing = z.output<typeof MediaMissing>;

/** The state of a file that came into a chat. */
export const Media = z.object({
  mediaId: z.uuid(),
  /** `waiting`: it is being fetched. */
  state: z.enum(['waiting', 'kept', 'missing']),
  /** Set when the file is missing. */
  reason: MediaMissing.optional(),
  /** Known once the file was fetched. */
  name: z.string().optional(),
  /** Detected from the bytes, not taken from the sender. */
  mediaType: z.string().optional(),
  sizeBytes: z.int().nonnegative().optional(),
  /** Key of the bytes in the object store, while they are stored. */
  objectKey: z.string().optional(),
  /** The beginning of its text, if it was requested and could be read. */
  text: z.string().optional(),
});
export type Media = z.output<typeof Media>;

/** A file that staff sends into a chat, as the webhooks service stores it. */
export const OutboundFile = z.object({
  mediaId: z.uuid(),
  /** Safe to display, and to use as the name of a file. */
  name: z.string(),
  /** Detected from the bytes, not taken from the sender. */
  mediaType: z.string(),
  sizeBytes: z.int().positive(),
  objectKey: z.string(),
});
export type OutboundFile = z.output<typeof OutboundFile>;
