import type { CallerDirectory } from '@botyard/shared/auth/caller';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { LimitName } from './store/limits.ts';

export interface Deps extends Foundation {
  callers: CallerDirectory;
  /** Limits of tenants and people that apply unless an operator has set others; `null` means unlimited. */
  limits: Readonly<Record<LimitName | 'tenants', number | null>>;
}
