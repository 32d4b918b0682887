import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { applyIdentityChanges } from '../../identity/domain/apply-changes.ts';
import type { Change } from '../../identity/domain/fold-change.ts';

/** What the provider has just done holds here at once; its event comes later and finds nothing more to do. */
export async function settle(
  deps: Pick<Deps, 'database' | 'outbox' | 'log'>,
  ...changes: Change[]
): Promise<void> {
  await withPlatform(deps.database, 'change at the identity provider', (tx) =>
    applyIdentityChanges(deps, tx, changes),
  );
}
