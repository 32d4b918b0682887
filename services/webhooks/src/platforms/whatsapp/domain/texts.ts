import { isQuicklyLexed } from '../../../text/domain/markdown/lex-markdown.ts';
import type { Deps } from '../deps.ts';
import { formatPlainReply, formatReply, type ReplyPart } from './format-reply.ts';
import { type Change, readNotification } from './read-notification.ts';

/** A body up to this size takes at most a few milliseconds. */
const maxBytesHere = 16 * 1024;

/** Resolves with `null` if the bytes are no notification. @throws HttpError 503 when it takes too long. */
export const readNotificationOf = async (
  { texts }: Pick<Deps, 'texts'>,
  owner: string,
  bytes: Uint8Array,
): Promise<Change[] | null> =>
  bytes.length <= maxBytesHere ? readNotification(bytes) : await texts.read('readNotification', bytes, owner);

/** Falls back to plain text if formatting takes too long or fails. @throws TaskError when too many texts wait. */
export const formatAnswer = async (
  { texts }: Pick<Deps, 'texts'>,
  owner: string,
  markdown: string,
  signal: AbortSignal | undefined,
): Promise<ReplyPart[]> =>
  isQuicklyLexed(markdown)
    ? formatReply(markdown)
    : await texts.format('formatWhatsApp', { owner, markdown, signal }, formatPlainReply);
