import type { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import type { Received } from '@botyard/shared/bus/consumer';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { applyIdentityChanges } from '../domain/apply-changes.ts';

/** Applies the identity provider's changes to people, tenants and memberships. */
export function onIdentityChanged(
  tx: TenantTx,
  { data }: Received<typeof identityChanged>,
  deps: Deps,
): Promise<void> {
  // An event without a tenant is handled across tenants.
  return applyIdentityChanges(deps, tx as unknown as PlatformTx, [data]);
}
