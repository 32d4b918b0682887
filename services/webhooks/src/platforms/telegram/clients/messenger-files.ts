import type { Secret } from '@botyard/shared/secrets/secret';
import { createDownloader, type Download, type Downloader, unavailableFile } from '../../clients/download.ts';

/** Names of folders and a file, as the platform creates them: no scheme, no host, no parent folder, no escapes. */
const pathShape = /^[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199}){0,5}$/;

interface MessengerFile extends Pick<Download, 'maxBytes' | 'signal'> {
  token: Secret;
  /** From `getFile`, unchecked. */
  filePath: string;
}

/** Downloads a file. Calls only the host of the Bot API, so that no path can lead elsewhere. */
export type MessengerFiles = Downloader<MessengerFile>;

export function createMessengerFiles(baseUrl: string): MessengerFiles {
  const download = createDownloader(new URL(baseUrl).host);
  return async ({ token, filePath, maxBytes, signal }, read) => {
    if (!pathShape.test(filePath)) return unavailableFile;
    const url = `${baseUrl}/file/bot${token.reveal()}/${filePath}`;
    return await download({ url, maxBytes, signal }, read);
  };
}
