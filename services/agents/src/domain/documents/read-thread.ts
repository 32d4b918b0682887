/** A thread of its own for one document: see `read-apart.ts`. */
import { workerData } from 'node:worker_threads';
import type { SourceType } from '@botyard/shared/contracts/context-sources';
import { report } from '@botyard/shared/files/documents/report';
import { readDocument } from './read-document.ts';

const { type, bytes } = workerData as { type: SourceType; bytes: Uint8Array };

report(readDocument(type, bytes));
