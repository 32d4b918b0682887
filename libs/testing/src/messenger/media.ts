/** Media that people send, in the form of updates, and the platform's files for them. */
import { type MediaKind, PlatformError } from './types.ts';

/** A file that a person sends. */
export type SentFile = { bytes: Buffer; name?: string; mimeType?: string };

/** A picture of one pixel, a page with one sentence, and the beginning of a recording. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);
const recording = Buffer.concat([
  Buffer.from('4f67675300020000000000000000313233340000000000000000011e01764f70757348656164', 'hex'),
  Buffer.alloc(2048, 7),
]);

/** Default files for media without one. */
const usual: Record<MediaKind, SentFile> = {
  photo: { bytes: picture },
  voice: { bytes: recording, mimeType: 'audio/ogg' },
  audio: { bytes: recording, name: 'song.ogg', mimeType: 'audio/ogg' },
  video: { bytes: Buffer.alloc(4096, 1), name: 'holiday.mp4', mimeType: 'video/mp4' },
  video_note: { bytes: Buffer.alloc(4096, 1) },
  sticker: { bytes: picture },
  document: {
    bytes: Buffer.from('Kettles are returned within 30 days.\n'),
    name: 'report.txt',
    mimeType: 'text/plain',
  },
};

export const mediaKinds = Object.keys(usual) as MediaKind[];

/** The platform's files, by their numbers and their paths. */
export class FileShelf {
  readonly #files = new Map<string, { path: string; bytes: Buffer }>();
  #last = 0;

  /** A sent file in the form of updates. `sizeBytes` is the declared size, not the actual one. */
  keep(kind: MediaKind, { bytes }: SentFile): Record<string, unknown> {
    this.#last += 1;
    const id = `AgACAgIAAxkBAAI-${kind}-${this.#last}`;
    this.#files.set(id, { path: `${kind}s/file_${this.#last}`, bytes });
    return { file_id: id, file_unique_id: `AQAD-${kind}-${this.#last}`, file_size: bytes.length };
  }

  find(fileId: string): { path: string; bytes: Buffer } | undefined {
    return this.#files.get(fileId);
  }

  /** @throws PlatformError for an unknown path. */
  read(path: string): Buffer {
    const file = this.#files.values().find((one) => one.path === path);
    if (!file) throw new PlatformError(404, 'Not Found');
    return file.bytes;
  }
}

/** The fields of a message with a file. */
export function mediaFields(
  kind: MediaKind,
  file: SentFile = usual[kind],
  shelf: FileShelf = new FileShelf(),
): Record<string, unknown> {
  const kept = shelf.keep(kind, file);
  const named = {
    ...(file.name === undefined ? {} : { file_name: file.name }),
    ...(file.mimeType === undefined ? {} : { mime_type: file.mimeType }),
  };
  switch (kind) {
    case 'photo':
      return {
        photo: [
          { ...kept, file_id: `${kept.file_id}-small`, file_size: 1253, width: 90, height: 67 },
          { ...kept, width: 800, height: 600 },
        ],
      };
    case 'sticker':
      return {
        sticker: {
          ...kept,
          type: 'regular',
          width: 512,
          height: 512,
          is_animated: false,
          is_video: false,
          emoji: '👍',
        },
      };
    case 'video_note':
      return { video_note: { ...kept, length: 240, duration: 7 } };
    case 'document':
      return { document: { ...kept, ...named } };
    default:
      return { [kind]: { ...kept, ...named, duration: 7 } };
  }
}
