import type { Foundation } from '@botyard/shared/service/foundation';

export interface Deps extends Foundation {
  /** Continues rounds of restarts; woken when one may have begun. */
  restarter: { wake(): void };
}
