import type { FileToPost } from '../../clients/file-form.ts';
import { codeOf, post, UnsentError } from '../../clients/post.ts';
import { isOfPlatform } from './slack-files.ts';

/** With the largest file. */
const timeoutMs = 120_000;
const maxAnswerBytes = 64 * 1024;

type Uploaded = { outcome: 'ok' } | { outcome: 'failed'; reason: string; isUnreached: boolean };

/** Sends the bytes of a file to an address that the platform just gave, without the token. Never throws. */
export type SlackUploads = (
  address: string,
  file: FileToPost,
  signal: AbortSignal | undefined,
) => Promise<Uploaded>;

export function createSlackUploads(apiUrl: string): SlackUploads {
  const apiHost = new URL(apiUrl).host;
  return async (address, { content: stream, sizeBytes }, signal) => {
    if (!isOfPlatform(address, apiHost)) {
      stream.destroy();
      return {
        outcome: 'failed',
        reason: "the address for the file is not the platform's",
        isUnreached: false,
      };
    }
    const content = { type: 'application/octet-stream', body: { sizeBytes, stream } };
    try {
      const { status } = await post(new URL(address), content, { timeoutMs, maxAnswerBytes, signal });
      if (status === 200) return { outcome: 'ok' };
      return { outcome: 'failed', reason: `the platform answered ${status} to the file`, isUnreached: false };
    } catch (error) {
      const reason = `no answer to the file (${codeOf(error)})`;
      return { outcome: 'failed', reason, isUnreached: error instanceof UnsentError };
    }
  };
}
