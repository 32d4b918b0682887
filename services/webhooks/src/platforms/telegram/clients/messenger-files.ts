import { createEgress, EgressError } from '@botyard/shared/http/egress/egress';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Problems } from '@botyard/shared/system/problems';
import { createMessengerClient, type MessengerClient } from './messenger.ts';

/** Limit for the whole download, so that a hanging or endless one doesn't block others. */
const timeoutMs = 30_000;

/** Names of folders and a file, as the platform creates them: no scheme, no host, no parent folder, no escapes. */
const pathShape = /^[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199}){0,5}$/;

/** The result of a download: `refused` is final, `failed` may be retried. */
type Download<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: 'too_large' | 'unavailable' }
  | { outcome: 'failed'; reason: string };

export interface MessengerFiles {
  /** Downloads a file by the path from `getFile`. Throws only the errors of `read`; no reason contains the token. */
  download<Result>(
    token: Secret,
    filePath: string,
    options: {
      maxBytes: number;
      signal: AbortSignal;
      read: (content: AsyncIterable<Buffer>) => Promise<Result>;
    },
  ): Promise<Download<Result>>;
}

/** Both parts of the platform's interface. */
export const createMessenger = (
  baseUrl: string,
  { log, problems }: { log: Log; problems: Pick<Problems, 'note' | 'clear'> },
): { messenger: MessengerClient; messengerFiles: MessengerFiles } => ({
  messenger: createMessengerClient(baseUrl, log, problems),
  messengerFiles: createMessengerFiles(baseUrl),
});

/** Calls only the host of the Bot API and follows no redirect, so that no path can lead elsewhere. */
function createMessengerFiles(baseUrl: string): MessengerFiles {
  const egress = createEgress({ allowedHosts: [new URL(baseUrl).host] });
  return {
    download: async (token, filePath, { maxBytes, signal, read }) => {
      if (!pathShape.test(filePath)) return { outcome: 'refused', reason: 'unavailable' };
      const url = `${baseUrl}/file/bot${token.reveal()}/${filePath}`;
      try {
        return await egress.stream(url, { maxBytes, timeoutMs, signal }, async ({ status, content }) => {
          if (status === 200) return { outcome: 'fetched' as const, result: await read(content) };
          if (status === 429 || status >= 500) return failed(`the platform answered ${status}`);
          return { outcome: 'refused' as const, reason: 'unavailable' as const };
        });
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        if (error.fault === 'too large') return { outcome: 'refused', reason: 'too_large' };
        return failed(error.message);
      }
    },
  };
}

const failed = (reason: string) => ({ outcome: 'failed' as const, reason });
