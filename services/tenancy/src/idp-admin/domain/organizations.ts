import type { IdentityOrganization } from '@botyard/contracts/events/webhooks-identity';
import type { IdpOrganization } from '@botyard/contracts/http/idp-admin';
import type { Page } from '@botyard/contracts/http/page';
import { found } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import type { AdminOrganization, Place } from '../clients/idp-admin.ts';
import type { Deps } from '../deps.ts';
import { requireIds, settle } from './checks.ts';
import { withOurTenants } from './known-as.ts';

/** A page of the provider's organizations. @throws HttpError 503 as `listIdpUsers`, here and below. */
export async function listIdpOrganizations(
  deps: Deps,
  place: Place,
  filter: { query?: string | undefined },
): Promise<Page<IdpOrganization>> {
  const { items, next } = await deps.idpAdmin.listOrganizations(place, filter);
  return { items: await withOurTenants(deps, items), next: next?.toString() };
}

/** @throws HttpError 404. */
export async function getIdpOrganization(deps: Deps, idpOrgId: string): Promise<IdpOrganization> {
  requireIds({ idpOrgId });
  return await shown(deps, found(await deps.idpAdmin.getOrganization(idpOrgId), 'organization'));
}

/**
 * Its creator becomes the admin, of the organization and of the tenant that is created for it. @throws HttpError 404
 * for an unknown creator.
 */
export async function createIdpOrganization(
  deps: Deps,
  wanted: { name: string; createdBy: string },
): Promise<IdpOrganization> {
  const organization = found(await deps.idpAdmin.createOrganization(wanted), 'user');
  const created = { ...organization, createdBy: organization.createdBy ?? wanted.createdBy };
  deps.log.info({ audit: 'idp organization created', idpOrgId: created.idpOrgId }, 'audit');
  await save(deps, created);
  return await shown(deps, created);
}

/** @throws HttpError 404. */
export async function renameIdpOrganization(
  deps: Deps,
  idpOrgId: string,
  name: string,
): Promise<IdpOrganization> {
  requireIds({ idpOrgId });
  const renamed = found(await deps.idpAdmin.renameOrganization(idpOrgId, name), 'organization');
  deps.log.info({ audit: 'idp organization renamed', idpOrgId }, 'audit');
  await save(deps, renamed);
  return await shown(deps, renamed);
}

/** Its tenant is kept, with the people who were added through the API, and an admin. @throws HttpError 404. */
export async function deleteIdpOrganization(deps: Deps, idpOrgId: string): Promise<void> {
  requireIds({ idpOrgId });
  if (!(await deps.idpAdmin.deleteOrganization(idpOrgId))) throw notFound('organization');
  deps.log.info({ audit: 'idp organization deleted', idpOrgId }, 'audit');
  await settle(deps, { kind: 'organization.deleted', happenedAt: Date.now(), idpOrgId });
}

async function save(deps: Deps, { idpOrgId, name, createdBy, updatedAt }: AdminOrganization): Promise<void> {
  const organization: IdentityOrganization = {
    idpOrgId,
    name,
    updatedAt,
    ...(createdBy ? { createdBy } : {}),
  };
  await settle(deps, { kind: 'organization.saved', happenedAt: Date.now(), organization });
}

async function shown(deps: Deps, organization: AdminOrganization): Promise<IdpOrganization> {
  const [item] = await withOurTenants(deps, [organization]);
  return item!;
}
