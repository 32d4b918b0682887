import type { Foundation } from '@botyard/shared/service/foundation';
import type { RecordingKeys } from './domain/recording-keys.ts';

export interface Deps extends Foundation {
  /** Seals what turns used. */
  recordingKeys: RecordingKeys;
}
