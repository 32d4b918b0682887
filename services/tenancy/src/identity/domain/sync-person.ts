import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { applyIdentityChanges } from './apply-changes.ts';
import type { Change } from './fold-change.ts';
import { recordIdOf } from './membership-records.ts';

/**
 * Aligns a person and their memberships with the identity provider. A person whom it doesn't know is unchanged: only
 * the provider's own events delete anybody. @throws HttpError 503 when it doesn't answer.
 */
export async function syncPerson(
  deps: Pick<Deps, 'idp' | 'database' | 'outbox' | 'log'>,
  idpUserId: string,
): Promise<void> {
  const { idp } = deps;
  if (!idp.isConfigured) return;
  const happenedAt = Date.now();
  const [user, memberships] = await Promise.all([
    idp.getUser(idpUserId),
    idp.listMembershipsOfUser(idpUserId),
  ]);
  if (!user || !memberships) return;
  const own = memberships.filter((membership) => membership.user.idpUserId === idpUserId);
  const recordIds = own.map(({ idpMembershipId, organization }) =>
    recordIdOf({ idpMembershipId, idpUserId, idpOrgId: organization.idpOrgId }),
  );
  const changes: Change[] = [
    { kind: 'user.saved', happenedAt, user },
    ...own.map((membership) => ({ kind: 'membership.saved' as const, happenedAt, membership })),
    { kind: 'memberships.listed', happenedAt, idpUserId, recordIds },
  ];
  await withPlatform(deps.database, 'sync with the identity provider', (tx) =>
    applyIdentityChanges(deps, tx, changes),
  );
}
