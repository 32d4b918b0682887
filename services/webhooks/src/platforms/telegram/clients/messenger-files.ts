import { createEgress, EgressError } from '@botyard/shared/http/egress/egress';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { createMessengerClient, type MessengerClient } from './messenger.ts';

/** Limit for the whole download: a platform that hangs, or never ends, holds a file's place no longer. */
const timeoutMs = 30_000;

/**
 * Names of folders and a file, as the platform makes them: no scheme, no host, no way upwards, nothing to be decoded.
 */
const pathShape = /^[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199}){0,5}$/;

/** The result of a download: `refused` is final, `failed` may be tried again. */
export type Download<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: 'too_large' | 'unavailable' }
  | { outcome: 'failed'; reason: string };

export interface MessengerFiles {
  /**
   * Downloads a file by the path that `getFile` gave. Never throws but what `read` throws; the token is in no reason.
   */
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

/** Both halves of the platform's interface. */
export const createMessenger = (
  baseUrl: string,
  log: Log,
): { messenger: MessengerClient; messengerFiles: MessengerFiles } => ({
  messenger: createMessengerClient(baseUrl, log),
  messengerFiles: createMessengerFiles(baseUrl),
});

/**
 * Calls no other host than that of the Bot API, and follows no redirect: what a path holds can't lead anywhere else.
 */
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
