import type { Foundation } from '@botyard/shared/service/foundation';
import type { PresencePace } from './domain/presence-pace.ts';

export interface Deps extends Foundation {
  /** Limits how often staff show that they are at a chat. */
  presencePace: PresencePace;
}
