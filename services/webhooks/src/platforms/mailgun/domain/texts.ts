import { unavailable } from '@botyard/shared/http/errors';
import { isQuicklyLexed } from '../../../text/domain/markdown/lex-markdown.ts';
import type { Deps } from '../deps.ts';
import { sizeOfFields } from './inbound/mail-form.ts';
import { type PostedMail, type ReadMail, readPosted } from './inbound/read/read-mail.ts';
import { formatMail, type MailBody, plainMail } from './outbound/format/format-mail.ts';

type TextDeps = Pick<Deps, 'texts'>;

/** A mail up to this size takes at most a few milliseconds. */
const maxBytesHere = 16 * 1024;

/** @throws HttpError 503 when it takes too long, so that the mailer retries. */
export async function readMailOf(
  { texts }: TextDeps,
  owner: string,
  posted: PostedMail,
): Promise<{ mail: ReadMail; digest: string }> {
  if (sizeOfFields(posted.fields) <= maxBytesHere) return await readPosted(posted);
  const read = await texts.read('readPosted', posted, owner);
  if (!read) throw unavailable('too much mail is being read: try again later');
  return read;
}

/**
 * Falls back to plain text if formatting takes too long or fails. Resolves with `undefined` when nothing is visible.
 * @throws TaskError when too many texts wait.
 */
export async function formatMailOf(
  { texts }: TextDeps,
  owner: string,
  markdown: string,
  signal?: AbortSignal,
): Promise<MailBody | undefined> {
  if (isQuicklyLexed(markdown)) return formatMail(markdown);
  return await texts.format('formatMail', { owner, markdown, signal }, plainMail);
}
