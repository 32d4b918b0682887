import type { Foundation } from '@botyard/shared/service/foundation';
import type { LiveHub } from './domain/hub.ts';

export interface Deps extends Foundation {
  /** Listeners of live events. */
  live: Pick<LiveHub, 'listen' | 'watch'>;
}
