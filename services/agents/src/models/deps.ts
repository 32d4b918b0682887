import type { Foundation } from '@botyard/shared/service/foundation';
import type { ReleaseWhile } from '@botyard/shared/work/semaphore';
import type { KeysClient } from '../clients/keys.ts';
import type { UsageClient } from '../clients/usage.ts';
import type { AgentsConfig } from '../config.ts';
import type { ModelClient } from './clients/model.ts';
import type { PlatformRest } from './domain/platform-rest.ts';

export interface Deps extends Foundation {
  config: Pick<AgentsConfig, 'MODEL_TIMEOUT_MS'>;
  /** Waits for a model or a tool without occupying the turn's slot of the semaphore. */
  releaseWhile: ReleaseWhile;
  keys: KeysClient;
  model: ModelClient;
  platformRest: PlatformRest;
  usage: UsageClient;
}
