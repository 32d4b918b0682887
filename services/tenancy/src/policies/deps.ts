import type { Foundation } from '@botyard/shared/service/foundation';
import type { PolicyDecisions } from './domain/decisions.ts';
import type { TryPolicy } from './domain/trial.ts';

export interface Deps extends Foundation {
  policies: PolicyDecisions;
  tryPolicy: TryPolicy;
}
