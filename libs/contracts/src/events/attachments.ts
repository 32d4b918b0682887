import { z } from 'zod';

/** Something that came with a message and that we can't read. Never the platform's address or number of a file. */
export const Attachment = z.object({
  /** In the platform's words: `photo`, `voice`, `sticker`, `document`, …; `unknown` for what it doesn't tell. */
  kind: z.string(),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  sizeBytes: z.number().int().nonnegative().optional(),
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
