import type { Downloader, FetchedFile } from '../clients/download.ts';

export interface FileToFetch {
  botId: string;
  fileRef: string;
  maxBytes: number;
  signal: AbortSignal;
}

export type FetchFile = Downloader<FileToFetch>;

/** The fate of a file whose address the platform didn't tell. */
export const lookupFailure = (
  answer: { outcome: 'limited'; retryAfterMs: number } | { outcome: 'failed'; reason: string },
): FetchedFile<never> =>
  answer.outcome === 'limited'
    ? { outcome: 'failed', reason: 'the platform asks to wait', waitMs: answer.retryAfterMs }
    : { outcome: 'failed', reason: answer.reason };
