import type { Foundation } from '@botyard/shared/service/foundation';
import type { AgentsConfig } from '../config.ts';
import type { DocumentReader } from './domain/reader.ts';
import type { TextWorker } from './domain/texts/text-worker.ts';

export interface Deps extends Foundation {
  config: Pick<AgentsConfig, 'TENANT_DOCUMENT_BYTES'>;
  texts: TextWorker;
  documents: DocumentReader;
}
