import type { Foundation } from '@botyard/shared/service/foundation';
import type { Worker } from '@botyard/shared/work/worker';
import type { AgentsConfig } from '../config.ts';
import type { TextWorker } from './domain/texts/text-worker.ts';

export interface Deps extends Foundation {
  config: Pick<AgentsConfig, 'TENANT_DOCUMENT_BYTES'>;
  texts: TextWorker;
  /** Reads documents in the background. */
  documents: Worker & { wake(): void };
}
