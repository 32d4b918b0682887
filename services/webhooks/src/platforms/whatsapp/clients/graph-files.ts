import type { Secret } from '@botyard/shared/secrets/secret';
import { createDownloader, type Download, type Downloader, unavailableFile } from '../../clients/download.ts';

/** The platform's hosts for files. The token goes to no other. */
const hosts = /(?:^|\.)(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/;
/** 401 is a token that may be replaced soon, 404 an address that has expired: the next attempt asks for a new one. */
const passing = [401, 404];

interface GraphFile extends Pick<Download, 'maxBytes' | 'signal'> {
  token: Secret;
  /** The address that the platform just gave, unchecked. */
  address: string;
}

/** Downloads a file. */
export type GraphFiles = Downloader<GraphFile>;

export function createGraphFiles(baseUrl: string): GraphFiles {
  const own = new URL(baseUrl).host;
  const download = createDownloader(own, passing);
  return async ({ token, address, maxBytes, signal }, read) => {
    const url = URL.parse(address);
    const isOfPlatform = url && (url.host === own || (url.protocol === 'https:' && hosts.test(url.hostname)));
    if (!isOfPlatform) return unavailableFile;
    // The platform refuses callers that don't say what they are.
    const headers = { authorization: `Bearer ${token.reveal()}`, 'user-agent': 'botyard' };
    return await download({ url: url.href, headers, maxBytes, signal }, read);
  };
}
