import type { Attachment } from '@botyard/contracts/events/attachments';
import { z } from 'zod';
import { cutText } from '../../../text/domain/clean-text.ts';
import type { ReadFile } from '../../domain/read-delivery.ts';
import { loose, records } from './payload.ts';

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
const maxUnitsRead = 1000;
const maxUnitsOfName = 200;
const maxUnitsOfMimeType = 100;
/** Marks that change the direction of writing: with them a name could display another extension than it has. */
const directionMarks = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
/** Files that the platform keeps elsewhere, or no longer shows. */
const unservedModes = new Set(['external', 'tombstone', 'hidden_by_limit']);

/** The files of a message. A file of another workspace has only an identifier (`file_access: check_file_info`). */
export const readFiles = (files: unknown): AttachedFile[] =>
  records(files, maxFiles).map((raw) => {
    const file = File.parse(raw);
    const name = shown(file.name ?? file.title ?? '', maxUnitsOfName);
    const mimeType = shown(file.mimetype ?? '', maxUnitsOfMimeType);
    const attachment = {
      kind: kindOf(file),
      ...(name ? { name } : {}),
      ...(mimeType ? { mimeType } : {}),
      ...(typeof file.size === 'number' ? { sizeBytes: file.size } : {}),
    };
    const isServed = file.id && !unservedModes.has(file.mode ?? '');
    return { attachment, file: isServed ? { fileRef: file.id!, name: name || 'file' } : undefined };
  });

const shown = (text: string, maxUnits: number): string =>
  cutText(
    text
      .slice(0, maxUnitsRead)
      .replace(directionMarks, '')
      .replace(/\p{Cc}/gu, ' '),
    maxUnits,
  ).trim();

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
