import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Semaphore } from '@botyard/shared/work/semaphore';
import type { AgentsConfig } from '../config.ts';
import type { Deps as ModelsDeps } from '../models/deps.ts';

export type Deps = ModelsDeps & {
  config: Pick<AgentsConfig, 'TRANSCRIPTION_MODEL' | 'PRIVATE_LLM_TRANSCRIPTION_MODEL'>;
  /** Limits concurrent transcriptions, fairly among tenants: each recording is held in memory as a whole. */
  transcriptions: Semaphore;
  /** Archive files, and files of messages. */
  objects: ObjectStore;
};
