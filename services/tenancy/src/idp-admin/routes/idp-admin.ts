import type { idpAdminRouter } from '@botyard/contracts/http/idp-admin';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import {
  addIdpMembership,
  changeIdpMembership,
  listIdpMemberships,
  removeIdpMembership,
} from '../domain/memberships.ts';
import {
  createIdpOrganization,
  deleteIdpOrganization,
  getIdpOrganization,
  listIdpOrganizations,
  renameIdpOrganization,
} from '../domain/organizations.ts';
import { deleteIdpUser, getIdpUser, listIdpUsers, setIdpUserBanned } from '../domain/users.ts';

/** The provider's pages have offsets: a cursor holds the number of the first item. */
const placeOf = ({ limit, before }: PageRequest) => ({ limit, offset: Number(before ?? 0) });

export const idpAdminHandlers: Handlers<typeof idpAdminRouter, Deps> = {
  listIdpUsers: ({ query }, deps) =>
    listIdpUsers(deps, placeOf(query), { query: query.query, email: query.email }),
  getIdpUser: ({ params }, deps) => getIdpUser(deps, params.idpUserId),
  banIdpUser: ({ params }, deps) => setIdpUserBanned(deps, params.idpUserId, true),
  unbanIdpUser: ({ params }, deps) => setIdpUserBanned(deps, params.idpUserId, false),
  deleteIdpUser: ({ params }, deps) => deleteIdpUser(deps, params.idpUserId),

  listIdpOrganizations: ({ query }, deps) =>
    listIdpOrganizations(deps, placeOf(query), { query: query.query }),
  getIdpOrganization: ({ params }, deps) => getIdpOrganization(deps, params.idpOrgId),
  createIdpOrganization: ({ body }, deps) => createIdpOrganization(deps, body),
  updateIdpOrganization: ({ params, body }, deps) => renameIdpOrganization(deps, params.idpOrgId, body.name),
  deleteIdpOrganization: ({ params }, deps) => deleteIdpOrganization(deps, params.idpOrgId),

  listIdpMemberships: ({ params, query }, deps) => listIdpMemberships(deps, params.idpOrgId, placeOf(query)),
  addIdpMembership: ({ params, body }, deps) =>
    addIdpMembership(deps, { ...params, idpUserId: body.idpUserId }, body.role),
  changeIdpMembership: ({ params, body }, deps) => changeIdpMembership(deps, params, body.role),
  removeIdpMembership: ({ params }, deps) => removeIdpMembership(deps, params),
};
