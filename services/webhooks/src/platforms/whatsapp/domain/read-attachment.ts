import type { Attachment } from '@botyard/contracts/events/attachments';
import { attachmentOf } from '../../domain/attachment-of.ts';
import { type Fields, record, textOf } from '../../domain/fields.ts';
import type { ReadFile } from '../../domain/read-delivery.ts';

/** The kinds of files, with a name for those that have none, and the platform's limit of the size. */
const fileKinds: Readonly<Record<string, { name: string; maxBytes: number }>> = {
  image: { name: 'photo.jpg', maxBytes: 5 * 1024 * 1024 },
  video: { name: 'video.mp4', maxBytes: 16 * 1024 * 1024 },
  audio: { name: 'audio.ogg', maxBytes: 16 * 1024 * 1024 },
  voice: { name: 'voice-message.ogg', maxBytes: 16 * 1024 * 1024 },
  sticker: { name: 'sticker.webp', maxBytes: 500 * 1024 },
  document: { name: 'document', maxBytes: 100 * 1024 * 1024 },
};

const idShape = /^[\w-]{1,200}$/;

/** A message's attachment, and the file to fetch for it. */
export function readAttachment(
  type: string,
  message: Fields,
): { attachment: Attachment; file: ReadFile | undefined } | undefined {
  const content = record(message[type]);
  const kind = type === 'audio' && content?.voice === true ? 'voice' : type;
  const fileKind = fileKinds[kind];
  if (!content || !fileKind) return undefined;
  const attachment = attachmentOf({
    kind,
    name: textOf(content.filename),
    mimeType: textOf(content.mime_type),
  });
  const id = textOf(content.id);
  return {
    attachment,
    // Stickers show a mood and hold nothing to read.
    file:
      idShape.test(id) && kind !== 'sticker'
        ? { fileRef: `${kind}:${id}`, name: attachment.name ?? fileKind.name }
        : undefined,
  };
}

/** The kind and the identifier behind a reference; `undefined` if it isn't one of ours. */
export function mediaOf(fileRef: string): { id: string; maxBytes: number } | undefined {
  const [kind = '', id = ''] = fileRef.split(':');
  const fileKind = fileKinds[kind];
  return fileKind && idShape.test(id) ? { id, maxBytes: fileKind.maxBytes } : undefined;
}
