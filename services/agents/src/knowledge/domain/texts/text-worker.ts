import type { Upload } from '@botyard/contracts/http/upload';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { Worker } from '@botyard/shared/work/worker';
import type { Content } from '../../store/context-sources.ts';
import { contentOfFile } from '../content.ts';
import { readPage } from './page-text.ts';
import type { tasks } from './text-thread.ts';

/** Content up to this size is read in the main thread, within a few milliseconds. */
const maxBytesHere = 16 * 1024;
/** Ten times as long as reading takes, to allow for a busy machine. */
const timeoutMs = 3000;
/** Limit per tenant. */
const maxWaiting = 16;
const maxMegabytes = 128;

/** Reads external pages and files. Large ones are read in a thread with a deadline, fairly among tenants. */
export class TextWorker implements Worker {
  readonly #pool = new ThreadPool<typeof tasks>({
    file: new URL('./text-thread.ts', import.meta.url),
    maxMegabytes,
    maxWaiting,
  });

  start(): void {
    // Has no effect, because the thread starts with the first task.
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  /** Resolves with `undefined` if it is not text. @throws TaskError when it takes too long; the signal's reason. */
  async readPage(
    owner: string,
    { body, contentType }: { body: Buffer; contentType: string },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (body.length <= maxBytesHere) return await readPage(body, contentType);
    return await this.#pool.run('readPage', { body, contentType }, { owner, timeoutMs, signal });
  }

  /** See `contentOfFile`. @throws HttpError 415, 422; 503 when it takes too long. */
  async contentOfFile(owner: string, upload: Upload): Promise<Content> {
    const { bytes, contentType } = upload;
    if (bytes.length <= maxBytesHere) return contentOfFile(upload);
    const read = await this.#pool
      .run('contentOfFile', { bytes, contentType }, { owner, timeoutMs })
      .catch((error: unknown) => {
        throw error instanceof TaskError
          ? unavailable('too many files are being read: try again later', { cause: error })
          : error;
      });
    if ('refused' in read) throw new HttpError(read.refused.status, read.refused.message);
    const { buffer, byteOffset, length } = read.content.bytes;
    return { ...read.content, bytes: Buffer.from(buffer, byteOffset, length) };
  }
}
