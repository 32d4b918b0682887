import type { MediaMissing } from '@botyard/contracts/events/attachments';

export interface FileToFetch {
  botId: string;
  fileRef: string;
  maxBytes: number;
  signal: AbortSignal;
}

/** Reads a file. Its bytes and its name are untrusted. */
export type FileReader<Result> = (content: AsyncIterable<Buffer>) => Promise<Result>;

/** `refused` is final. `failed` is retried, after `waitMs` if the platform gives it. */
export type FetchedFile<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: Extract<MediaMissing, 'too_large' | 'unavailable'> }
  | { outcome: 'failed'; reason: string; waitMs?: number };
