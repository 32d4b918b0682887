import { createEgress, EgressError } from '@botyard/shared/http/egress/egress';
import type { Secret } from '@botyard/shared/secrets/secret';

/** Limit for the whole download, so that a hanging or endless one doesn't block others. */
const timeoutMs = 30_000;

/** The platform's hosts for files. The token goes to no other. */
const hosts = /(?:^|\.)(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/;

/** The result of a download: `refused` is final, `failed` may be retried. */
type Download<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: 'too_large' | 'unavailable' }
  | { outcome: 'failed'; reason: string };

export interface GraphFiles {
  /** Downloads a file by the address that the platform just gave. Throws only the errors of `read`. */
  download<Result>(
    token: Secret,
    address: string,
    options: {
      maxBytes: number;
      signal: AbortSignal;
      read: (content: AsyncIterable<Buffer>) => Promise<Result>;
    },
  ): Promise<Download<Result>>;
}

export function createGraphFiles(baseUrl: string): GraphFiles {
  const own = new URL(baseUrl).host;
  const egress = createEgress({ allowedHosts: [own] });
  return {
    download: async (token, address, { maxBytes, signal, read }) => {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      const isOfPlatform =
        url && (url.host === own || (url.protocol === 'https:' && hosts.test(url.hostname)));
      if (!isOfPlatform) return { outcome: 'refused', reason: 'unavailable' };
      // The platform refuses callers that don't say what they are.
      const headers = { authorization: `Bearer ${token.reveal()}`, 'user-agent': 'botyard' };
      try {
        return await egress.stream(
          url.href,
          { headers, maxBytes, timeoutMs, signal },
          async ({ status, content }) => {
            if (status === 200) return { outcome: 'fetched' as const, result: await read(content) };
            // 404 is an address that has expired: the next attempt asks for a new one.
            const isPassing = status === 401 || status === 404 || status === 429 || status >= 500;
            if (isPassing) return failed(`the platform answered ${status}`);
            return { outcome: 'refused' as const, reason: 'unavailable' as const };
          },
        );
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        if (error.fault === 'too large') return { outcome: 'refused', reason: 'too_large' };
        return failed(error.message);
      }
    },
  };
}

const failed = (reason: string) => ({ outcome: 'failed' as const, reason });
