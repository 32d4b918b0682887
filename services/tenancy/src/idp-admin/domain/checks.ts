import { withPlatform } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { applyIdentityChanges } from '../../identity/domain/apply-changes.ts';
import type { Change } from '../../identity/domain/fold-change.ts';
import type { Deps } from '../deps.ts';
import { isLastAdmin } from '../store/ties.ts';

const userId = /^user_[A-Za-z0-9_]{1,59}$/;
const orgId = /^org_[A-Za-z0-9_]{1,60}$/;

/** Identifiers become part of the provider's address, so other text is refused. @throws HttpError 404. */
export function requireIds({ idpUserId, idpOrgId }: { idpUserId?: string; idpOrgId?: string }): void {
  if (idpOrgId !== undefined && !orgId.test(idpOrgId)) throw notFound('organization');
  if (idpUserId !== undefined && !userId.test(idpUserId)) throw notFound('user');
}

/**
 * A tenant keeps an admin, whatever the provider says (`planSeats`). Changes that would leave only an admin kept for
 * that reason are refused beforehand. @throws HttpError 409.
 */
export async function requireAnotherAdmin(
  { database }: Pick<Deps, 'database'>,
  who: { idpUserId: string; idpOrgId?: string },
): Promise<void> {
  if (await withPlatform(database, 'last admin', (tx) => isLastAdmin(tx, who))) {
    throw conflict('a tenant needs an admin: this is its last one');
  }
}

/** Applies the provider's change here at once; its later event changes nothing more. */
export async function settle(
  deps: Pick<Deps, 'database' | 'outbox' | 'log'>,
  ...changes: Change[]
): Promise<void> {
  await withPlatform(deps.database, 'change at the identity provider', (tx) =>
    applyIdentityChanges(deps, tx, changes),
  );
}
