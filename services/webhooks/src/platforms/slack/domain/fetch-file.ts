import { z } from 'zod';
import { type FetchedFile, unavailableFile } from '../../clients/download.ts';
import { type FetchFile, lookupFailure } from '../../domain/fetch-file.ts';
import { loose } from '../../domain/fields.ts';
import type { CallResult } from '../clients/slack-api.ts';
import type { Deps } from '../deps.ts';

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
export const fetching =
  ({ endpoints, connector, slack, slackFiles }: Deps): FetchFile =>
  async ({ botId, fileRef, maxBytes, signal }, read) => {
    const endpoint = await endpoints.find(connector, botId);
    if (!endpoint) return unavailableFile;
    const { botToken: token } = endpoint;
    const params = { file: fileRef };
    const info = await slack({ method: 'files.info', token, signal, params, answer: FileInfo });
    if (info.outcome !== 'ok') return failureOf(info);
    const { url_private_download: download, url_private: address, mimetype, size } = info.result.file;
    const url = download || address;
    if ((size ?? 0) > maxBytes) return { outcome: 'refused', reason: 'too_large' };
    if (!url) return unavailableFile;
    return await slackFiles({ token, url, mimeType: mimetype ?? '', maxBytes, signal }, read);
  };

/** A token may be replaced soon. */
const passing = new Set(['invalid_auth', 'token_revoked', 'account_inactive']);

function failureOf(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (answer.outcome !== 'refused') return lookupFailure(answer);
  return passing.has(answer.reason) ? { outcome: 'failed', reason: answer.reason } : unavailableFile;
}
