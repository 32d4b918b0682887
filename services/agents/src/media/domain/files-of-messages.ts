import { type Media, OutboundFile } from '@botyard/contracts/events/attachments';
import { findMedia } from '@botyard/contracts/events/webhook-requests';
import type { MediaRecord } from '@botyard/contracts/http/context-traces';
import type { Download } from '@botyard/contracts/http/download';
import { ask } from '@botyard/shared/bus/requests';
import { conflict, notFound } from '@botyard/shared/http/errors';
import type { MessageRow, SaidRow } from '../../conversations/store/messages.ts';
import type { ReadMedia } from '../../store/stored-attachment.ts';
import type { Deps } from '../deps.ts';
import type { Picture } from './pictures.ts';

type WithAttachment = Pick<MessageRow, 'attachment'>;

/** Files by their identifiers, with their states. */
export type Files = ReadonlyMap<string, Media>;

const mediaIdsOf = (rows: readonly WithAttachment[]): string[] => [
  ...new Set(rows.flatMap(({ attachment }) => (attachment?.mediaId ? [attachment.mediaId] : []))),
];

/**
 * Requests file states from the webhooks service, if there are any files. @throws HttpError 503 when it doesn't answer.
 */
export async function findFiles(
  { bus }: Pick<Deps, 'bus'>,
  tenantId: string,
  rows: readonly WithAttachment[],
  { withTexts }: { withTexts: boolean },
): Promise<Files> {
  const mediaIds = mediaIdsOf(rows);
  if (mediaIds.length === 0) return new Map();
  const { media } = await ask(bus, findMedia, { tenantId, mediaIds, withTexts });
  return new Map(media.map((one) => [one.mediaId, one]));
}

/** The same for lists, which are shown without file states while the webhooks service is unavailable. */
export async function findFilesShown(
  deps: Pick<Deps, 'bus' | 'log'>,
  tenantId: string,
  rows: readonly WithAttachment[],
): Promise<Files> {
  try {
    return await findFiles(deps, tenantId, rows, { withTexts: false });
  } catch (error) {
    deps.log.warn({ err: error, tenantId }, 'messages are listed without the states of their files');
    return new Map();
  }
}

/** @throws HttpError 404 when there is no file, or its content isn't stored; 503. */
export async function downloadFile(
  deps: Pick<Deps, 'bus' | 'objects'>,
  tenantId: string,
  row: WithAttachment,
): Promise<Download> {
  const [file] = (await findFiles(deps, tenantId, [row], { withTexts: false })).values();
  const content = file?.objectKey === undefined ? null : await deps.objects.get(file.objectKey);
  if (!file || !content) throw notFound('file');
  const { mediaType = 'application/octet-stream', sizeBytes, name = 'file' } = file;
  return { content, contentType: mediaType, sizeBytes, fileName: name };
}

/**
 * The file of a message of staff, to be sent again; `undefined` if it has none. @throws HttpError 409 when it is no
 * longer stored; 503.
 */
export async function findFileToSend(
  deps: Pick<Deps, 'bus'>,
  tenantId: string,
  row: WithAttachment,
): Promise<OutboundFile | undefined> {
  if (!row.attachment) return undefined;
  const [file] = (await findFiles(deps, tenantId, [row], { withTexts: false })).values();
  const { data: outbound } = OutboundFile.safeParse(file);
  if (!outbound) throw conflict('the file of the message is no longer stored');
  return outbound;
}

/** The trace's records of a turn's files. Empty if none was fetched. */
export const mediaRecordsOf = (turn: readonly SaidRow[], pictures: readonly Picture[]): MediaRecord[] =>
  turn.flatMap(({ messageId, attachment }) => {
    const read = attachment?.read;
    if (!attachment || !read) return [];
    const { mediaType, sizeBytes, state, reason = state === 'late' ? 'late' : undefined } = read;
    return [
      {
        messageId,
        kind: attachment.kind,
        use: useOf(messageId, read, pictures),
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
