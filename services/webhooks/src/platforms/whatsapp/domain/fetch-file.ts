import type { FetchedFile, FileReader, FileToFetch } from '../../domain/fetch-file.ts';
import type { CallResult } from '../clients/answers.ts';
import type { Deps } from '../deps.ts';
import { accessOf } from './access.ts';
import { connector } from './connection.ts';
import { mediaOf } from './read-attachment.ts';

/** Asks the platform for a file's address, which is valid for five minutes, and downloads it at once. */
export async function fetchFile<Result>(
  { endpoints, graph, graphFiles }: Pick<Deps, 'endpoints' | 'graph' | 'graphFiles'>,
  { botId, fileRef, maxBytes, signal }: FileToFetch,
  read: FileReader<Result>,
): Promise<FetchedFile<Result>> {
  const endpoint = await endpoints.find(connector, botId);
  const media = mediaOf(fileRef);
  if (!endpoint || !media) return { outcome: 'refused', reason: 'unavailable' };
  const most = Math.min(maxBytes, media.maxBytes);
  const located = await graph.getMedia(accessOf(endpoint), media.id, endpoint.phoneNumberId);
  if (located.outcome !== 'ok') return refusalOf(located);
  const { url, sizeBytes } = located.result;
  if (sizeBytes > most) return { outcome: 'refused', reason: 'too_large' };
  return await graphFiles.download(endpoint.accessToken, url, { maxBytes: most, signal, read });
}

function refusalOf(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (answer.outcome === 'limited')
    return { outcome: 'failed', reason: 'the platform asks to wait', waitMs: answer.retryAfterMs ?? 6000 };
  if (answer.outcome === 'failed') return { outcome: 'failed', reason: answer.reason };
  // A token that is no longer valid may be replaced soon.
  if (answer.code === 190) return { outcome: 'failed', reason: answer.reason };
  return { outcome: 'refused', reason: 'unavailable' };
}
