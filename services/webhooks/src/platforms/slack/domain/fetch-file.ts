import { z } from 'zod';
import type { FetchedFile, FileReader, FileToFetch } from '../../domain/fetch-file.ts';
import type { CallResult } from '../clients/slack-api.ts';
import type { Deps } from '../deps.ts';
import { loose } from './payload.ts';

const FileInfo = z.object({
  file: z.object({
    url_private_download: loose(z.string()),
    url_private: loose(z.string()),
    mimetype: loose(z.string()),
    size: loose(z.number()),
  }),
});

/**
 * Asks for a file's address and downloads it. A file of another workspace has no address in the event, and the address
 * isn't kept.
 */
export async function fetchFile<Result>(
  { endpoints, connector, slack, slackFiles }: Pick<Deps, 'endpoints' | 'connector' | 'slack' | 'slackFiles'>,
  { botId, fileRef, maxBytes, signal }: FileToFetch,
  read: FileReader<Result>,
): Promise<FetchedFile<Result>> {
  const endpoint = await endpoints.find(connector, botId);
  if (!endpoint) return { outcome: 'refused', reason: 'unavailable' };
  const { botToken: token } = endpoint;
  const info = await slack({
    method: 'files.info',
    token,
    signal,
    params: { file: fileRef },
    answer: FileInfo,
  });
  if (info.outcome !== 'ok') return failureOf(info);
  const { url_private_download: download, url_private: url, mimetype, size } = info.result.file;
  const address = download || url;
  if ((size ?? 0) > maxBytes) return { outcome: 'refused', reason: 'too_large' };
  if (!address) return { outcome: 'refused', reason: 'unavailable' };
  return await slackFiles({ token, url: address, mimeType: mimetype ?? '', maxBytes, signal }, read);
}

/** A token may be replaced soon. */
const passing = new Set(['invalid_auth', 'token_revoked', 'account_inactive']);

function failureOf(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (answer.outcome === 'limited')
    return { outcome: 'failed', reason: 'the platform asks to wait', waitMs: answer.retryAfterMs };
  if (answer.outcome === 'failed' || passing.has(answer.reason))
    return { outcome: 'failed', reason: answer.reason };
  return { outcome: 'refused', reason: 'unavailable' };
}
