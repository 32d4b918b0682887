import type { Attachment } from '@botyard/contracts/events/attachments';
import { cutText } from '../../text/domain/clean-text.ts';

const maxUnitsRead = 1000;
const maxUnitsOfName = 200;
const maxUnitsOfMimeType = 100;
/** Marks that change the direction of writing: with them a name could display another extension than it has. */
const directionMarks = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
const controls = /\p{Cc}/gu;

interface SentFile {
  kind: string;
  name: string | null | undefined;
  mimeType: string | null | undefined;
  sizeBytes?: number | null | undefined;
}

/** The attachment for a file as its sender and the platform describe it. */
export function attachmentOf({ kind, name, mimeType, sizeBytes }: SentFile): Attachment {
  const nameRead = (name ?? '').slice(0, maxUnitsRead).replace(directionMarks, '').replace(controls, ' ');
  const shownName = cutText(nameRead, maxUnitsOfName).trim();
  const typeRead = (mimeType ?? '').slice(0, maxUnitsRead).replace(controls, '');
  const shownType = cutText(typeRead, maxUnitsOfMimeType).trim();
  return {
    kind,
    ...(shownName ? { name: shownName } : {}),
    ...(shownType ? { mimeType: shownType } : {}),
    ...(typeof sizeBytes === 'number' ? { sizeBytes } : {}),
  };
}
