import type { Deps as IdentityDeps } from '../identity/deps.ts';

export interface Deps extends IdentityDeps {
  /** Continues the migration's run; woken when one may have begun. */
  policyMigrator: { wake(): void };
}
