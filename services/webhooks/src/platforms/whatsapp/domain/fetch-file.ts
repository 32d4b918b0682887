import { type FetchedFile, unavailableFile } from '../../clients/download.ts';
import { type FetchFile, lookupFailure } from '../../domain/fetch-file.ts';
import type { CallResult } from '../clients/answers.ts';
import type { Deps } from '../deps.ts';
import { accessOf } from './access.ts';
import { connector } from './connection.ts';
import { mediaOf } from './read-attachment.ts';

/** Asks the platform for a file's address, which is valid for five minutes, and downloads it at once. */
export const fetching =
  ({ endpoints, graph, graphFiles }: Pick<Deps, 'endpoints' | 'graph' | 'graphFiles'>): FetchFile =>
  async ({ botId, fileRef, maxBytes, signal }, read) => {
    const endpoint = await endpoints.find(connector, botId);
    const media = mediaOf(fileRef);
    if (!endpoint || !media) return unavailableFile;
    const most = Math.min(maxBytes, media.maxBytes);
    const located = await graph.getMedia(accessOf(endpoint), media.id, endpoint.phoneNumberId);
    if (located.outcome !== 'ok') return refusalOf(located);
    const { url: address, sizeBytes } = located.result;
    if (sizeBytes > most) return { outcome: 'refused', reason: 'too_large' };
    return await graphFiles({ token: endpoint.accessToken, address, maxBytes: most, signal }, read);
  };

function refusalOf(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>): FetchedFile<never> {
  if (answer.outcome === 'limited')
    return lookupFailure({ ...answer, retryAfterMs: answer.retryAfterMs ?? 6000 });
  if (answer.outcome === 'failed') return lookupFailure(answer);
  // A token that is no longer valid may be replaced soon.
  return answer.code === 190 ? { outcome: 'failed', reason: answer.reason } : unavailableFile;
}
