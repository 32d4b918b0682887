import type { Media } from '@botyard/contracts/events/attachments';
import { withTenant } from '@botyard/shared/db/database';
import { isUnavailable } from '@botyard/shared/http/errors';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { ReadMedia, StoredAttachment } from '../../store/stored-attachment.ts';
import type { Deps } from '../deps.ts';
import { saveReadMedia } from '../store/read-media.ts';
import { type Files, findFiles } from './files-of-messages.ts';

/** The longest time that an answer waits for a file, from the message's arrival. After it the file is left out. */
const maxWaitMs = 40_000;
/** The first wait for a file. Most files are ready after it, and slow ones hardly take longer because of it. */
const firstWaitMs = 250;
const longestWaitMs = 1500;

/**
 * The messages with the content of their files, or the time in ms until the next check while a file is being fetched.
 */
type ReadTurn = { turn: SaidRow[] } | { waitMs: number };

/** Reads the state of a turn's files, and saves it with its messages. @throws HttpError 503. */
export async function readMediaOf(
  deps: Pick<Deps, 'bus' | 'database' | 'log'>,
  conversation: ClaimedConversation,
  turn: SaidRow[],
): Promise<ReadTurn> {
  const withFiles = turn.filter(({ attachment }) => attachment?.mediaId);
  if (withFiles.length === 0) return { turn };
  const { tenantId } = conversation;
  const newest = Math.max(...withFiles.map(({ createdAt }) => createdAt.getTime()));
  const ageMs = conversation.nowMs() - newest;
  const isLate = ageMs > maxWaitMs;
  const files = await findFilesInTime(deps, tenantId, withFiles, isLate);
  const isWaiting = files.values().some(({ state }) => state === 'waiting');
  if (isWaiting && !isLate) return { waitMs: Math.min(Math.max(ageMs / 4, firstWaitMs), longestWaitMs) };
  const read = withFiles.map(({ messageId, attachment }) => ({
    messageId,
    read: readOf(attachment!, files),
  }));
  await withTenant(deps.database, [tenantId], (tx) => saveReadMedia(tx, tenantId, read));
  const byMessage = new Map(read.map((one) => [one.messageId, one.read]));
  return { turn: turn.map((row) => withRead(row, byMessage.get(row.messageId))) };
}

/** While the webhooks service is unavailable the turn is retried, but only for a limited time. */
async function findFilesInTime(
  deps: Pick<Deps, 'bus' | 'log'>,
  tenantId: string,
  rows: readonly SaidRow[],
  isLate: boolean,
): Promise<Files> {
  try {
    return await findFiles(deps, tenantId, rows, { withTexts: true });
  } catch (error) {
    const isAway = isUnavailable(error);
    if (isAway && !isLate) throw error;
    deps.log.warn({ err: error, tenantId }, 'a turn is answered without its files');
    return new Map();
  }
}

const withRead = (row: SaidRow, read: ReadMedia | undefined): SaidRow =>
  read && row.attachment ? { ...row, attachment: { ...row.attachment, read } } : row;

function readOf({ mediaId, read }: StoredAttachment, files: Files): ReadMedia {
  const file: Media | undefined = files.get(mediaId ?? '');
  if (!file) return { state: 'missing', reason: 'unavailable' };
  const { mediaId: _number, state, ...facts } = file;
  return {
    ...facts,
    state: state === 'waiting' ? 'late' : state,
    // Keeps the transcript of an earlier attempt.
    ...(read?.transcript === undefined ? {} : heardOf(read)),
  };
}

const heardOf = ({ transcript, transcribedBy }: ReadMedia) => ({
  ...(transcript === undefined ? {} : { transcript }),
  ...(transcribedBy === undefined ? {} : { transcribedBy }),
});
