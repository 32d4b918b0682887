import type { IdpUser } from '@botyard/contracts/http/idp-admin';
import type { Page } from '@botyard/contracts/http/page';
import { found } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import type { AdminUser, Place } from '../clients/idp-admin.ts';
import type { Deps } from '../deps.ts';
import { requireAnotherAdmin, requireIds, settle } from './checks.ts';
import { withOurUsers } from './known-as.ts';

/**
 * A page of the provider's users. @throws HttpError 503 when the provider doesn't answer or isn't configured, here and
 * below.
 */
export async function listIdpUsers(
  deps: Deps,
  place: Place,
  filter: { query?: string | undefined; email?: string | undefined },
): Promise<Page<IdpUser>> {
  const { items, next } = await deps.idpAdmin.listUsers(place, filter);
  return { items: await withOurUsers(deps, items), next: next?.toString() };
}

/** @throws HttpError 404. */
export async function getIdpUser(deps: Deps, idpUserId: string): Promise<IdpUser> {
  requireIds({ idpUserId });
  return await shown(deps, found(await deps.idpAdmin.getUser(idpUserId), 'user'));
}

/** @throws HttpError 404. */
export async function setIdpUserBanned(deps: Deps, idpUserId: string, isBanned: boolean): Promise<IdpUser> {
  requireIds({ idpUserId });
  const user = found(await deps.idpAdmin.setBanned(idpUserId, isBanned), 'user');
  deps.log.info({ audit: isBanned ? 'idp user banned' : 'idp user unbanned', idpUserId }, 'audit');
  const { email, name, updatedAt } = user;
  await settle(deps, {
    kind: 'user.saved',
    happenedAt: Date.now(),
    user: { idpUserId, email, name, updatedAt },
  });
  return await shown(deps, user);
}

/** @throws HttpError 404, 409 when the person is the last admin of a tenant. */
export async function deleteIdpUser(deps: Deps, idpUserId: string): Promise<void> {
  requireIds({ idpUserId });
  await requireAnotherAdmin(deps, { idpUserId });
  if (!(await deps.idpAdmin.deleteUser(idpUserId))) throw notFound('user');
  deps.log.info({ audit: 'idp user deleted', idpUserId }, 'audit');
  await settle(deps, { kind: 'user.deleted', happenedAt: Date.now(), idpUserId });
}

async function shown(deps: Deps, user: AdminUser): Promise<IdpUser> {
  const [item] = await withOurUsers(deps, [user]);
  return item!;
}
