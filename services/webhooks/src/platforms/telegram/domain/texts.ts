import { isQuicklyLexed } from '../../../text/domain/markdown/lex-markdown.ts';
import type { ReadDelivery } from '../../domain/read-delivery.ts';
import type { Deps } from '../deps.ts';
import type { OwnBot } from './connection.ts';
import { formatPlainReply, formatReply, type ReplyPart } from './format-reply.ts';
import { readUpdateBytes } from './read-update.ts';

type TextDeps = Pick<Deps, 'texts'>;

/** An update up to this size takes at most a few milliseconds. */
const maxBytesHere = 16 * 1024;

/** Resolves with `null` if the bytes aren't JSON. @throws HttpError 503 when it takes too long. */
export async function readUpdateOf(
  { texts }: TextDeps,
  owner: string,
  bytes: Uint8Array,
  { platformBotId, username }: OwnBot,
): Promise<ReadDelivery | null> {
  const bot = { platformBotId, username };
  if (bytes.length <= maxBytesHere) return readUpdateBytes(bytes, bot);
  return await texts.read('readUpdate', { bytes, bot }, owner);
}

/** Falls back to plain text if formatting takes too long or fails. @throws TaskError when too many texts wait. */
export async function formatAnswer(
  { texts }: TextDeps,
  owner: string,
  markdown: string,
  signal?: AbortSignal,
): Promise<ReplyPart[]> {
  if (isQuicklyLexed(markdown)) return formatReply(markdown);
  return await texts.format('formatReply', { owner, markdown, signal }, formatPlainReply);
}
