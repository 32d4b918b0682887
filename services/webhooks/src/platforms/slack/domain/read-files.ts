import type { Attachment } from '@botyard/contracts/events/attachments';
import { z } from 'zod';
import { attachmentOf } from '../../domain/attachment-of.ts';
import { loose, records } from '../../domain/fields.ts';
import type { ReadFile } from '../../domain/read-delivery.ts';

interface AttachedFile {
  attachment: Attachment;
  /** Absent for a file that the platform doesn't serve, such as one in a document store. */
  file: ReadFile | undefined;
}

const File = z.object({
  id: loose(z.string().regex(/^F[A-Z0-9]{1,63}$/)),
  name: loose(z.string()),
  title: loose(z.string()),
  mimetype: loose(z.string()),
  size: loose(z.number().int().nonnegative()),
  mode: loose(z.string()),
  subtype: loose(z.string()),
});
type File = z.output<typeof File>;

/** The most files of a message that are read. */
export const maxFiles = 10;
/** Files that the platform keeps elsewhere, or no longer shows. */
const unservedModes = new Set(['external', 'tombstone', 'hidden_by_limit']);

/** The files of a message. A file of another workspace has only an identifier (`file_access: check_file_info`). */
export const readFiles = (files: unknown): AttachedFile[] =>
  records(files, maxFiles).map((raw) => {
    const file = File.parse(raw);
    const attachment = attachmentOf({
      kind: kindOf(file),
      name: file.name ?? file.title,
      mimeType: file.mimetype,
      sizeBytes: file.size,
    });
    const isServed = file.id && !unservedModes.has(file.mode ?? '');
    return {
      attachment,
      file: isServed ? { fileRef: file.id!, name: attachment.name ?? 'file' } : undefined,
    };
  });

function kindOf({ mimetype, subtype }: File): string {
  const [kind] = (mimetype ?? '').split('/');
  switch (kind) {
    case 'image':
      return 'photo';
    case 'audio':
      return subtype === 'slack_audio' ? 'voice' : 'audio';
    case 'video':
      return 'video';
    default:
      return 'document';
  }
}
