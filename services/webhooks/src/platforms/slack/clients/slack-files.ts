import type { Secret } from '@botyard/shared/secrets/secret';
import { createDownloader, type Download, type Downloader, unavailableFile } from '../../clients/download.ts';

export interface SlackFile extends Pick<Download, 'url' | 'maxBytes' | 'signal'> {
  token: Secret;
  /** The platform's type of the file. */
  mimeType: string;
}

/** Downloads a file. The token is sent only to the platform's own hosts and to that of the configured API. */
export type SlackFiles = Downloader<SlackFile>;

export function createSlackFiles(apiUrl: string): SlackFiles {
  const apiHost = new URL(apiUrl).host;
  const download = createDownloader(apiHost);
  return async ({ token, url, mimeType, maxBytes, signal }, read) => {
    if (!isOfPlatform(url, apiHost)) return unavailableFile;
    const headers = { authorization: `Bearer ${token.reveal()}` };
    // Without the scope `files:read` the platform sends its page for signing in, with status 200.
    const isFile: Download['isFile'] = (answered) => !isPage(answered['content-type']) || isPage(mimeType);
    return await download({ url, headers, maxBytes, signal, isFile }, read);
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
