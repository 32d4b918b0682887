import type { MediaRecord } from '@botyard/contracts/http/context-traces';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { ReadMedia } from '../../store/stored-attachment.ts';
import type { Picture } from './pictures.ts';

/** The trace's records of a turn's files. Empty if none was fetched. */
export const mediaRecordsOf = (turn: readonly SaidRow[], pictures: readonly Picture[]): MediaRecord[] =>
  turn.flatMap(({ messageId, attachment }) => {
    const read = attachment?.read;
    if (!attachment || !read) return [];
    const { mediaType, sizeBytes, state, reason = state === 'late' ? 'late' : undefined } = read;
    return [
      {
        ...{ messageId, kind: attachment.kind, use: useOf(messageId, read, pictures) },
        ...(reason === undefined ? {} : { reason }),
        ...(read.transcribedBy === undefined ? {} : { transcribedBy: read.transcribedBy }),
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(sizeBytes === undefined ? {} : { sizeBytes }),
      } satisfies MediaRecord,
    ];
  });

function useOf(id: string, read: ReadMedia, pictures: readonly Picture[]): MediaRecord['use'] {
  if (pictures.some(({ messageId }) => messageId === id)) return 'picture';
  if (read.transcript !== undefined) return 'transcript';
  return read.text === undefined ? 'none' : 'text';
}
