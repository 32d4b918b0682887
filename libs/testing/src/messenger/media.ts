/** What people send besides text, as updates carry it: names of files that are nowhere, for the content itself never matters. */
import type { MediaKind } from './types.ts';

const file = (id: string, sizeBytes: number) => ({
  file_id: `AgACAgIAAxkBAAI-sandbox-${id}`,
  file_unique_id: `AQAD-sandbox-${id}`,
  file_size: sizeBytes,
});

const fieldsOf: Record<MediaKind, Record<string, unknown>> = {
  photo: {
    photo: [
      { ...file('photo-s', 1253), width: 90, height: 67 },
      { ...file('photo-x', 81_244), width: 800, height: 600 },
    ],
  },
  voice: { voice: { ...file('voice', 28_817), duration: 7, mime_type: 'audio/ogg' } },
  sticker: {
    sticker: {
      ...file('sticker', 12_040),
      type: 'regular',
      width: 512,
      height: 512,
      is_animated: false,
      is_video: false,
      emoji: '👍',
    },
  },
  document: {
    document: { ...file('document', 48_213), file_name: 'report.pdf', mime_type: 'application/pdf' },
  },
};

export const mediaKinds = Object.keys(fieldsOf) as MediaKind[];

export function mediaFields(kind: MediaKind): Record<string, unknown> {
  return structuredClone(fieldsOf[kind]);
}
