import type { MediaMissing } from '@botyard/contracts/events/attachments';

/** Takes a file's bytes in. Whatever they are, or are called, was said by strangers. */
export type FileReader<Result> = (content: AsyncIterable<Buffer>) => Promise<Result>;

/** `refused` is final; what `failed` is tried again, after `waitMs` where the platform says so. */
export type FetchedFile<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: Extract<MediaMissing, 'too_large' | 'unavailable'> }
  | { outcome: 'failed'; reason: string; waitMs?: number };
