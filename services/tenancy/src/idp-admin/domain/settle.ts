import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { applyIdentityChanges } from '../../identity/domain/apply-changes.ts';
import type { Change } from '../../identity/domain/fold-change.ts';

/** Applies the provider's change here at once; its later event changes nothing more. */
export async function settle(
  deps: Pick<Deps, 'database' | 'outbox' | 'log'>,
  ...changes: Change[]
): Promise<void> {
  await withPlatform(deps.database, 'change at the identity provider', (tx) =>
    applyIdentityChanges(deps, tx, changes),
  );
}
