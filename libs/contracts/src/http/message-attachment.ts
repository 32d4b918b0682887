import { z } from 'zod';
import { Media } from '../events/attachments.ts';

const { state, reason, name, mediaType, sizeBytes } = Media.shape;

/** A file or other attachment of a message. */
export const MessageAttachment = z
  .object({
    kind: z.string().describe("In the platform's words, such as `photo`, `voice` or `document`."),
    name: z.string().optional().describe("In its sender's words."),
    mimeType: z.string().optional().describe("In its sender's words."),
    sizeBytes: z.number().int().optional().describe("In its sender's words."),
    file: z
      .object({
        state: state.describe(
          '`waiting`: it is being fetched from the platform. `kept`: it can be downloaded.',
        ),
        reason: reason.describe(
          'Why it is not kept: `too_large` (20 MB at most), `unavailable` (the platform did not give it), `storage_full`, or `expired`.',
        ),
        name: name.describe('As it is kept.'),
        mediaType: mediaType.describe('What its bytes are, whatever its sender says.'),
        sizeBytes,
      })
      .optional()
      .describe('What became of its file. Absent where none is fetched, or that is not known at the moment.'),
  })
  .meta({ id: 'MessageAttachment', description: 'What came with a message, and what became of its file.' });
