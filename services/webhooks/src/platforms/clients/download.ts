import type { IncomingHttpHeaders } from 'node:http';
import type { MediaMissing } from '@botyard/contracts/events/attachments';
import { createEgress, EgressError } from '@botyard/shared/http/egress/egress';

/** Limit for the whole download, so that a hanging or endless one doesn't block others. */
const timeoutMs = 30_000;

export interface Download {
  url: string;
  headers?: Readonly<Record<string, string>>;
  maxBytes: number;
  signal: AbortSignal;
  /** Whether an answer with status 200 is the file. */
  isFile?(headers: IncomingHttpHeaders): boolean;
}

/** Reads a file. Its bytes and its name are untrusted. */
export type FileReader<Result> = (content: AsyncIterable<Buffer>) => Promise<Result>;

/** `refused` is final. `failed` is retried, after `waitMs` if the platform gives it. */
export type FetchedFile<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: Extract<MediaMissing, 'too_large' | 'unavailable'> }
  | { outcome: 'failed'; reason: string; waitMs?: number };

/** Downloads a file and follows no redirect. Throws only the errors of `read`; no reason has a secret. */
export type Downloader<File> = <Result>(file: File, read: FileReader<Result>) => Promise<FetchedFile<Result>>;

/**
 * `host` is that of the configured API, which may be a private one. After a status of `passing`, 429 or 5xx a later
 * attempt may succeed.
 */
export function createDownloader(host: string, passing: readonly number[] = []): Downloader<Download> {
  const egress = createEgress({ allowedHosts: [host] });
  return async ({ url, headers = {}, maxBytes, signal, isFile = () => true }, read) => {
    try {
      return await egress.stream(
        url,
        { headers, maxBytes, timeoutMs, signal },
        async ({ status, headers: answered, content }) => {
          if (status === 429 || status >= 500 || passing.includes(status))
            return { outcome: 'failed', reason: `the platform answered ${status}` };
          if (status !== 200 || !isFile(answered)) return unavailableFile;
          return { outcome: 'fetched', result: await read(content) };
        },
      );
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.fault === 'too large') return { outcome: 'refused', reason: 'too_large' };
      return { outcome: 'failed', reason: error.message };
    }
  };
}

export const unavailableFile = { outcome: 'refused', reason: 'unavailable' } as const;
