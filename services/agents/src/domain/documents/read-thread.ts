/** A thread of its own for one document: see `read-apart.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SourceType } from '@botyard/shared/contracts/context-sources';
import { readDocument } from './read-document.ts';
import { Unreadable } from './sections.ts';

const { type, bytes } = workerData as { type: SourceType; bytes: Uint8Array };

readDocument(type, bytes).then(
  (chunks) => parentPort?.postMessage({ chunks }),
  (error: unknown) => {
    if (error instanceof Unreadable) parentPort?.postMessage({ fault: error.message });
    else throw error;
  },
);
