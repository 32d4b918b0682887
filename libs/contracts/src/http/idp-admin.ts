import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Role } from './members.ts';
import { pageQueryBy } from './page.ts';

/** Start of a page of the identity provider's. It is an offset, so additions meanwhile shift later pages. */
const Place = z.string().regex(/^\d{1,7}$/);
const Page = pageQueryBy(Place);
const search = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('A part of the name, of the address or of the identifier.');

/** Anything of another shape is 404, like what the identity provider doesn't know. */
const idpUserId = z.string().meta({
  pattern: '^user_[A-Za-z0-9_]{1,59}$',
  description: "The identity provider's identifier of the user.",
});
const idpOrgId = z.string().meta({
  pattern: '^org_[A-Za-z0-9_]{1,60}$',
  description: "The identity provider's identifier of the organization.",
});
const BodyUserId = z.string().regex(/^user_[A-Za-z0-9_]{1,59}$/, 'must be an identifier such as user_2abc');

const personName = z
  .string()
  .nullable()
  .describe('First and last name at the identity provider; `null` where there is none.');

export const IdpUser = z
  .object({
    idpUserId: z.string(),
    email: z
      .string()
      .nullable()
      .describe('The address at the identity provider; `null` where there is none.'),
    name: personName,
    banned: z
      .boolean()
      .describe('Whether the identity provider keeps the person out until somebody changes that.'),
    locked: z
      .boolean()
      .describe('Whether the identity provider keeps the person out for a while, as after wrong passwords.'),
    createdAt: moment
      .nullable()
      .describe('When the account was made at the identity provider; `null` where it does not tell.'),
    updatedAt: moment
      .nullable()
      .describe('When the account last changed there; `null` where it does not tell.'),
    lastSignInAt: moment.nullable().describe('When the person last signed in; `null` if never.'),
    userId: id
      .nullable()
      .describe('Who this is here; null for somebody who was not seen yet, or was deleted here.'),
    tenants: z.array(z.object({ tenantId: id, role: Role })).describe('What the person is of here.'),
  })
  .meta({ id: 'IdpUser', description: 'A person as the identity provider knows them.' });
export type IdpUser = z.input<typeof IdpUser>;

export const IdpOrganization = z
  .object({
    idpOrgId: z.string(),
    name: z.string(),
    slug: z
      .string()
      .nullable()
      .describe('Its name in addresses at the identity provider; `null` where it has none.'),
    createdBy: z.string().nullable().describe("The identity provider's identifier of its creator."),
    membersCount: z
      .number()
      .int()
      .nullable()
      .describe('How many members it has; `null` where the identity provider does not tell.'),
    createdAt: moment
      .nullable()
      .describe('When it was made; `null` where the identity provider does not tell.'),
    updatedAt: moment
      .nullable()
      .describe('When it last changed there; `null` where the identity provider does not tell.'),
    tenantId: id.nullable().describe('The tenant that stands for it here, or null.'),
    tenantName: z.string().nullable().describe('What that tenant is called; `null` where there is none.'),
  })
  .meta({
    id: 'IdpOrganization',
    description: 'An organization of the identity provider; a tenant may stand for it.',
  });
export type IdpOrganization = z.input<typeof IdpOrganization>;

export const IdpMembership = z
  .object({
    idpOrgId: z.string(),
    idpUserId: z.string(),
    name: personName,
    role: Role.describe('admin for the role org:admin, member for every other.'),
    idpRole: z.string().describe('In the words of the identity provider, which may have roles of its own.'),
    createdAt: moment
      .nullable()
      .describe('When the person joined; `null` where the identity provider does not tell.'),
    updatedAt: moment
      .nullable()
      .describe('When the membership last changed; `null` where the identity provider does not tell.'),
    userId: id.nullable().describe('Who this is here; `null` for somebody who was not seen yet.'),
    tenantId: id.nullable().describe('The tenant that stands for the organization here.'),
    tenantRole: Role.nullable().describe("What the person is in that tenant, by anybody's word."),
  })
  .meta({
    id: 'IdpMembership',
    description: 'That a person is of an organization of the identity provider.',
  });
export type IdpMembership = z.input<typeof IdpMembership>;

const access = 'operator';
const params = { idpUserId, idpOrgId };
const errors = [404, 503];
const refusable = [404, 409, 422, 503];
const lastAdmin =
  'Whoever is the last admin of a tenant by this is left alone (409): name another admin first. Should two requests take ' +
  'away the last two at once, the tenant keeps one of them.';

export const idpAdminRouter = defineRouter({
  basePath: '/api/idp-admin',
  service: 'tenancy',
  description:
    'Users, organizations and memberships at the identity provider. What is changed there holds here when the answer comes; ' +
    'the event that tells of it comes later and changes nothing more. Without IDP_SECRET_KEY every answer is 503.',
  reserves: access,
  routes: {
    listIdpUsers: route({
      method: 'get',
      path: '/users',
      access,
      summary: 'List the users of the identity provider.',
      query: Page.extend({ query: search, email: z.email().max(320).optional() }),
      response: z.array(IdpUser),
      paged: true,
      errors: [503],
    }),
    getIdpUser: route({
      method: 'get',
      path: '/users/:idpUserId',
      access,
      summary: 'Get a user of the identity provider.',
      params,
      response: IdpUser,
      errors,
    }),
    banIdpUser: route({
      method: 'post',
      path: '/users/:idpUserId/ban',
      access,
      summary: 'Ban a user: the identity provider ends their sessions and gives them no new one.',
      description: 'A session token that was given out before works until it expires, which takes a minute.',
      params,
      response: IdpUser,
      errors: refusable,
    }),
    unbanIdpUser: route({
      method: 'post',
      path: '/users/:idpUserId/unban',
      access,
      summary: 'Let a banned user in again.',
      params,
      response: IdpUser,
      errors: refusable,
    }),
    deleteIdpUser: route({
      method: 'delete',
      path: '/users/:idpUserId',
      access,
      summary: 'Delete a user at the identity provider and here; they reach nothing any longer.',
      description: lastAdmin,
      params,
      errors: refusable,
    }),
    listIdpOrganizations: route({
      method: 'get',
      path: '/organizations',
      access,
      summary: 'List the organizations of the identity provider.',
      query: Page.extend({ query: search }),
      response: z.array(IdpOrganization),
      paged: true,
      errors: [503],
    }),
    getIdpOrganization: route({
      method: 'get',
      path: '/organizations/:idpOrgId',
      access,
      summary: 'Get an organization, with the tenant that stands for it.',
      params,
      response: IdpOrganization,
      errors,
    }),
    createIdpOrganization: route({
      method: 'post',
      path: '/organizations',
      access,
      summary: 'Create an organization; its creator becomes its admin, and a tenant is made for it.',
      body: z.object({
        name,
        createdBy: BodyUserId.describe(
          "The identity provider's identifier of the person who becomes its first admin.",
        ),
      }),
      response: IdpOrganization,
      status: 201,
      errors: refusable,
    }),
    updateIdpOrganization: route({
      method: 'put',
      path: '/organizations/:idpOrgId',
      access,
      summary: 'Rename an organization, and the tenant that stands for it.',
      params,
      body: z.object({ name }),
      response: IdpOrganization,
      errors: refusable,
    }),
    deleteIdpOrganization: route({
      method: 'delete',
      path: '/organizations/:idpOrgId',
      access,
      summary: 'Delete an organization.',
      description:
        'Its tenant stays, without the people whom only the organization had brought; the last of its admins is kept, so this is never 409.',
      params,
      errors: [404, 422, 503],
    }),
    listIdpMemberships: route({
      method: 'get',
      path: '/organizations/:idpOrgId/memberships',
      access,
      summary: "List an organization's memberships.",
      params,
      query: Page,
      response: z.array(IdpMembership),
      paged: true,
      errors,
    }),
    addIdpMembership: route({
      method: 'post',
      path: '/organizations/:idpOrgId/memberships',
      access,
      summary: 'Add a user to an organization.',
      params,
      body: z.object({ idpUserId: BodyUserId, role: Role }),
      response: IdpMembership,
      status: 201,
      errors: refusable,
    }),
    changeIdpMembership: route({
      method: 'put',
      path: '/organizations/:idpOrgId/memberships/:idpUserId',
      access,
      summary: 'Change the role of a user in an organization.',
      description: lastAdmin,
      params,
      body: z.object({ role: Role }),
      response: IdpMembership,
      errors: refusable,
    }),
    removeIdpMembership: route({
      method: 'delete',
      path: '/organizations/:idpOrgId/memberships/:idpUserId',
      access,
      summary: 'Take a user out of an organization.',
      description: lastAdmin,
      params,
      errors: refusable,
    }),
  },
});
