import { setInterval as every } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** One after the other, as large as they may be. */
const mailEveryMs = 500;
const mailBytes = 20 * 1024 * 1024;

/** Posts large mails until it is closed, from a separate thread, so that the sender's cost delays no answer. */
export class LargeMails {
  readonly #thread: Worker;
  /** Number of posts that were answered, with any status. */
  answered = 0;

  constructor(url: string) {
    this.#thread = new Worker(new URL(import.meta.url), { workerData: { url } });
    this.#thread.on('message', () => {
      this.answered += 1;
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

if (!isMainThread && workerData?.url) {
  const form = new FormData();
  form.set('recipient', 'nobody@example.com');
  form.set('attachment-1', new Blob([new Uint8Array(mailBytes)]), 'large.bin');
  for await (const _ of every(mailEveryMs)) {
    const answer = await fetch(workerData.url, { method: 'POST', body: form }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    parentPort?.postMessage('answered');
  }
}
