import { z } from 'zod';

/** Something that came with a message. Never the platform's address or number of a file. */
export const Attachment = z.object({
  /** In the platform's words: `photo`, `voice`, `sticker`, `document`, …; `unknown` for what it doesn't tell. */
  kind: z.string(),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  sizeBytes: z.number().int().nonnegative().optional(),
  /** By which the webhooks service tells what became of its file, which it fetches meanwhile. Absent: no file is fetched. */
  mediaId: z.uuid().optional(),
});
export type Attachment = z.output<typeof Attachment>;

/** A file that came with an e-mail, with the beginning of its text where any could be read. */
export const MailDocument = z.object({
  name: z.string(),
  /** What its bytes are, whatever its sender says. */
  mediaType: z.string(),
  sizeBytes: z.number().int().nonnegative(),
  text: z.string().optional(),
});
export type MailDocument = z.output<typeof MailDocument>;

/** Why a file of a chat isn't kept: it was too large, the platform didn't give it, there was no room, or its time was over. */
export const MediaMissing = z.enum(['too_large', 'unavailable', 'storage_full', 'expired']);
export type MediaMissing = z.output<typeof MediaMissing>;

/** What became of a file that came into a chat. */
export const Media = z.object({
  mediaId: z.uuid(),
  /** `waiting`: it is being fetched. */
  state: z.enum(['waiting', 'kept', 'missing']),
  /** Of one that is missing. */
  reason: MediaMissing.optional(),
  /** These are known once it was fetched. */
  name: z.string().optional(),
  /** What its bytes are, whatever its sender says. */
  mediaType: z.string().optional(),
  sizeBytes: z.number().int().nonnegative().optional(),
  /** Where its bytes are in the object store, while they are kept. */
  objectKey: z.string().optional(),
  /** The beginning of its text, where any could be read and it was asked for. */
  text: z.string().optional(),
});
export type Media = z.output<typeof Media>;
