import type { Deps } from '../../../deps.ts';
import type { FetchedFile, FileReader, FileToFetch } from '../../platform.ts';
import type { CallResult } from '../clients/messenger.ts';
import { connector } from './connection.ts';

/** Asks the platform where a file is, and downloads it. Its address is known here only, and for as long as that takes. */
export async function fetchFile<Result>(
  { endpoints, messenger, messengerFiles }: Pick<Deps, 'endpoints' | 'messenger' | 'messengerFiles'>,
  { botId, fileRef, maxBytes, signal }: FileToFetch,
  read: FileReader<Result>,
): Promise<FetchedFile<Result>> {
  const endpoint = await endpoints.find(connector, botId);
  if (!endpoint) return { outcome: 'refused', reason: 'unavailable' };
  const { botToken: token } = endpoint;
  const found = await messenger.getFile(token, fileRef);
  if (found.outcome !== 'ok') return refusalOf(found);
  const { filePath, sizeBytes = 0 } = found.result;
  if (sizeBytes > maxBytes) return { outcome: 'refused', reason: 'too_large' };
  if (filePath === undefined) return { outcome: 'refused', reason: 'unavailable' };
  return await messengerFiles.download(token, filePath, { maxBytes, signal, read });
}

function refusalOf(result: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (result.outcome === 'limited')
    return { outcome: 'failed', reason: 'the platform asks to wait', waitMs: result.retryAfterMs };
  if (result.outcome === 'failed') return { outcome: 'failed', reason: result.reason };
  // A token that was taken back may be replaced in a moment.
  if (result.status === 401) return { outcome: 'failed', reason: result.reason };
  return { outcome: 'refused', reason: /too big/i.test(result.reason) ? 'too_large' : 'unavailable' };
}
