import type { DocumentType } from '@botyard/shared/files/documents/read-sections';
import { cutText } from '../../text/domain/clean-text.ts';

const unknown = 'application/octet-stream';
const maxUnitsOfName = 200;
const textTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
};
const readable: Readonly<Record<string, DocumentType>> = {
  'application/pdf': 'pdf',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'text',
  'text/plain': 'text',
};

/**
 * A file's name for display and storage: the last part of a path, without characters that change the direction of text.
 */
export function cleanFileName(name: string, number: number): string {
  const [last = ''] = name.split(/[/\\]/).slice(-1);
  const clean = cutText(last.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').trim(), maxUnitsOfName);
  return clean === '' || /^\.+$/.test(clean) ? `attachment-${number}` : clean;
}

/** The type of a file by its first bytes, regardless of its name. Only for text the name decides the kind. */
export async function mediaTypeOf(head: Buffer, name: string): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const detectedType = await fileTypeFromBuffer(head).catch(() => undefined);
  if (detectedType) return detectedType.mime;
  if (!isText(head)) return unknown;
  return textTypes[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain';
}

/** The last character may be incomplete. */
function isText(head: Buffer): boolean {
  if (head.length === 0 || head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The reader for files of this type; `undefined` when they have no text. */
export const documentTypeOf = (mediaType: string): DocumentType | undefined => readable[mediaType];
