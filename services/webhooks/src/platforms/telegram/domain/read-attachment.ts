import type { Attachment } from '@botyard/contracts/events/attachments';
import { z } from 'zod';
import { attachmentOf } from '../../domain/attachment-of.ts';
import { loose, record } from '../../domain/fields.ts';
import type { ReadFile } from '../../domain/read-delivery.ts';
import { wordFields } from './words/message-fields.ts';
import { wordsOfContent } from './words/references.ts';

/** Fields of a message with content other than text. An animation also has a `document`, so it comes first. */
const kinds = [
  'animation',
  'live_photo',
  'photo',
  'video',
  'video_note',
  'voice',
  'audio',
  'sticker',
  'document',
  'paid_media',
  'story',
  'venue',
  'location',
  'contact',
  'poll',
  'checklist',
  'dice',
  'game',
  'invoice',
  'giveaway',
  'giveaway_winners',
] as const;

/**
 * Kinds whose files are fetched, with a name for files that have none, because the platform gives them no distinct
 * names.
 */
const fetched: Readonly<Record<string, string>> = {
  photo: 'photo.jpg',
  live_photo: 'photo.jpg',
  video: 'video.mp4',
  video_note: 'video-message.mp4',
  voice: 'voice-message.ogg',
  audio: 'audio.mp3',
  document: 'document',
};

const File = z.object({
  file_id: loose(
    z
      .string()
      .min(1)
      .max(512)
      .regex(/^[\w-]+$/),
  ),
  file_name: loose(z.string()),
  mime_type: loose(z.string()),
  file_size: loose(z.number().int().nonnegative()),
});

/**
 * A message's attachment with its kind, name, type and size, but without the platform's identifier of the file
 * (REQ-CHAT-8). Returns `undefined` when there is none.
 */
export function readAttachment(raw: Readonly<Record<string, unknown>>): Attachment | undefined {
  const kind = kinds.find((one) => raw[one] !== undefined && raw[one] !== null);
  // Content that became words is no attachment.
  if (!kind || (wordFields.includes(kind) && wordsOfContent(raw) !== undefined)) return undefined;
  const { file_name: name, mime_type: mimeType, file_size: sizeBytes } = fileOf(raw[kind]);
  return attachmentOf({ kind, name, mimeType, sizeBytes });
}

/** The file of an attachment, if it is of a kind that is fetched. */
export function readFile(
  raw: Readonly<Record<string, unknown>>,
  { kind, name }: Attachment,
): ReadFile | undefined {
  const usualName = fetched[kind];
  const { file_id: fileRef } = fileOf(raw[kind]);
  return usualName && fileRef ? { fileRef, name: name ?? usualName } : undefined;
}

/** A photo has several sizes, the largest last; a live photo has one beside its video. */
function fileOf(content: unknown): Partial<z.output<typeof File>> {
  const sizes = Array.isArray(content) ? content : record(content)?.photo;
  const file = File.safeParse(Array.isArray(sizes) ? sizes.at(-1) : content);
  return file.success ? file.data : {};
}
