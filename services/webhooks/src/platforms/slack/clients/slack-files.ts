import { createEgress, EgressError } from '@botyard/shared/http/egress/egress';
import type { Secret } from '@botyard/shared/secrets/secret';

/** Limit for the whole download, so that a hanging or endless one doesn't block others. */
const timeoutMs = 30_000;

export interface Download {
  token: Secret;
  /** From the platform's answer, unchecked. */
  url: string;
  /** The platform's type of the file. */
  mimeType: string;
  maxBytes: number;
  signal: AbortSignal;
}

/** The result of a download: `refused` is final, `failed` may be retried. */
type Downloaded<Result> =
  | { outcome: 'fetched'; result: Result }
  | { outcome: 'refused'; reason: 'too_large' | 'unavailable' }
  | { outcome: 'failed'; reason: string };

export type SlackFiles = <Result>(
  download: Download,
  read: (content: AsyncIterable<Buffer>) => Promise<Result>,
) => Promise<Downloaded<Result>>;

/**
 * Downloads files. The token is sent only to the platform's own hosts and to that of the configured API, and no
 * redirect is followed. Throws only the errors of `read`; no reason contains the token.
 */
export function createSlackFiles(apiUrl: string): SlackFiles {
  const apiHost = new URL(apiUrl).host;
  const egress = createEgress({ allowedHosts: [apiHost] });
  return async ({ token, url, mimeType, maxBytes, signal }, read) => {
    if (!isOfPlatform(url, apiHost)) return { outcome: 'refused', reason: 'unavailable' };
    const request = { headers: { authorization: `Bearer ${token.reveal()}` }, maxBytes, timeoutMs, signal };
    try {
      return await egress.stream(url, request, async ({ status, headers, content }) => {
        if (status === 429 || status >= 500) return failed(`the platform answered ${status}`);
        if (status !== 200) return { outcome: 'refused', reason: 'unavailable' };
        // Without the scope `files:read` the platform sends its page for signing in, with status 200.
        if (isPage(headers['content-type']) && !isPage(mimeType))
          return { outcome: 'refused', reason: 'unavailable' };
        return { outcome: 'fetched', result: await read(content) };
      });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.fault === 'too large') return { outcome: 'refused', reason: 'too_large' };
      return failed(error.message);
    }
  };
}

const isPage = (type: string | undefined): boolean => /^text\/html\b/i.test(type ?? '');

const platformHosts = /^(?:[a-z0-9-]+\.)*(?:slack\.com|slack-files\.com|slack-gov\.com)$/;

/** Whether an address is the platform's own, or that of the configured API. */
export function isOfPlatform(given: string, apiHost: string): boolean {
  const url = URL.parse(given);
  if (!url || url.username || url.password) return false;
  return url.host === apiHost || (url.protocol === 'https:' && platformHosts.test(url.host));
}

const failed = (reason: string) => ({ outcome: 'failed' as const, reason });
