import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { Role } from './members.ts';
import { pageQueryBy } from './page.ts';

/** Start of a page in a list of the identity provider. It is an offset, so items added meanwhile shift later pages. */
const Place = z.string().regex(/^\d{1,7}$/);
const Page = pageQueryBy(Place);
const search = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('Part of the name, the address or the identifier.');

/** An identifier of another format is 404, like one that the identity provider doesn't know. */
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
  .describe('First and last name at the identity provider. `null` if there is none.');

export const IdpUser = z
  .object({
    idpUserId: z.string(),
    email: z.string().nullable().describe('The address at the identity provider. `null` if there is none.'),
    name: personName,
    banned: z
      .boolean()
      .describe('Whether the identity provider has banned the person until the ban is lifted.'),
    locked: z
      .boolean()
      .describe(
        'Whether the identity provider has locked the person out temporarily, for example after wrong passwords.',
      ),
    createdAt: moment
      .nullable()
      .describe('When the account was created at the identity provider. `null` if it does not report this.'),
    updatedAt: moment
      .nullable()
      .describe('When the account last changed there. `null` if the identity provider does not report this.'),
    lastSignInAt: moment.nullable().describe('When the person last signed in; `null` if never.'),
    userId: id
      .nullable()
      .describe('The user here. `null` if the person was not seen yet or was deleted here.'),
    tenants: z
      .array(z.object({ tenantId: id, role: Role }))
      .describe('The tenants that the person belongs to here, with the role in each.'),
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
      .describe('The name used in URLs of the identity provider. `null` if there is none.'),
    createdBy: z.string().nullable().describe("The identity provider's identifier of its creator."),
    membersCount: z
      .int()
      .nullable()
      .describe('The number of members. `null` if the identity provider does not report it.'),
    createdAt: moment
      .nullable()
      .describe('When the organization was created. `null` if the identity provider does not report this.'),
    updatedAt: moment
      .nullable()
      .describe(
        'When the organization last changed there. `null` if the identity provider does not report this.',
      ),
    tenantId: id
      .nullable()
      .describe('The tenant that stands for the organization here. `null` if there is none.'),
    tenantName: z.string().nullable().describe('The name of that tenant. `null` if there is none.'),
  })
  .meta({
    id: 'IdpOrganization',
    description: 'An organization of the identity provider. A tenant may stand for it.',
  });
export type IdpOrganization = z.input<typeof IdpOrganization>;

export const IdpMembership = z
  .object({
    idpOrgId: z.string(),
    idpUserId: z.string(),
    name: personName,
    role: Role.describe('`admin` for the role `org:admin`, `member` for every other role.'),
    idpRole: z.string().describe("The identity provider's name of the role, which may be a custom role."),
    createdAt: moment
      .nullable()
      .describe('When the person joined. `null` if the identity provider does not report this.'),
    updatedAt: moment
      .nullable()
      .describe('When the membership last changed. `null` if the identity provider does not report this.'),
    userId: id.nullable().describe('The user here. `null` if the person was not seen yet.'),
    tenantId: id
      .nullable()
      .describe('The tenant that stands for the organization here. `null` if there is none yet.'),
    tenantRole: Role.nullable().describe("The person's role in that tenant, from any source."),
  })
  .meta({
    id: 'IdpMembership',
    description: "A person's membership in an organization of the identity provider.",
  });
export type IdpMembership = z.input<typeof IdpMembership>;

const params = { idpUserId, idpOrgId };
const errors = [404, 503] as const;
const refusable = [404, 409, 422, 503] as const;
const lastAdmin =
  'Returns 409 if the person is the last admin of a tenant; name another admin first. If two concurrent requests remove ' +
  'the last two admins, the tenant keeps one of them.';

export const idpAdminRouter = defineRouter({
  basePath: '/api/idp-admin',
  service: 'tenancy',
  description:
    'Users, organizations and memberships at the identity provider. A change also takes effect here by the time of the response; ' +
    'the event that the identity provider sends later changes nothing more. Without `IDP_SECRET_KEY`, every request returns 503.',
  routes: {
    listIdpUsers: operator.list('/users', {
      summary: 'List the users of the identity provider.',
      query: Page.extend({ query: search, email: z.email().max(320).optional() }),
      response: z.array(IdpUser),
      errors: [503],
    }),
    getIdpUser: operator.get('/users/:idpUserId', {
      summary: 'Get a user of the identity provider.',
      params,
      response: IdpUser,
      errors,
    }),
    banIdpUser: operator.post('/users/:idpUserId/ban', {
      summary: 'Ban a user.',
      description:
        'The identity provider ends their sessions and starts no new ones. A session token issued earlier works until it expires, which takes a minute.',
      params,
      response: IdpUser,
      errors: refusable,
    }),
    unbanIdpUser: operator.post('/users/:idpUserId/unban', {
      summary: 'Lift the ban on a user.',
      params,
      response: IdpUser,
      errors: refusable,
    }),
    deleteIdpUser: operator.delete('/users/:idpUserId', {
      summary: 'Delete a user at the identity provider and here, which ends all their access.',
      description: lastAdmin,
      params,
      errors: refusable,
    }),
    listIdpOrganizations: operator.list('/organizations', {
      summary: 'List the organizations of the identity provider.',
      query: Page.extend({ query: search }),
      response: z.array(IdpOrganization),
      errors: [503],
    }),
    getIdpOrganization: operator.get('/organizations/:idpOrgId', {
      summary: 'Get an organization with the tenant that stands for it.',
      params,
      response: IdpOrganization,
      errors,
    }),
    createIdpOrganization: operator.post('/organizations', {
      summary: 'Create an organization and a tenant that stands for it.',
      description: 'The creator becomes an admin of the organization.',
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
    updateIdpOrganization: operator.put('/organizations/:idpOrgId', {
      summary: 'Rename an organization and the tenant that stands for it.',
      params,
      body: z.object({ name }),
      response: IdpOrganization,
      errors: refusable,
    }),
    deleteIdpOrganization: operator.delete('/organizations/:idpOrgId', {
      summary: 'Delete an organization.',
      description:
        'The tenant is kept, without the people who belonged to it only through the organization. Its last admin is kept, so this never returns 409.',
      params,
      errors: [404, 422, 503],
    }),
    listIdpMemberships: operator.list('/organizations/:idpOrgId/memberships', {
      summary: "List an organization's memberships.",
      params,
      query: Page,
      response: z.array(IdpMembership),
      errors,
    }),
    addIdpMembership: operator.post('/organizations/:idpOrgId/memberships', {
      summary: 'Add a user to an organization.',
      params,
      body: z.object({ idpUserId: BodyUserId, role: Role }),
      response: IdpMembership,
      status: 201,
      errors: refusable,
    }),
    changeIdpMembership: operator.put('/organizations/:idpOrgId/memberships/:idpUserId', {
      summary: 'Change the role of a user in an organization.',
      description: lastAdmin,
      params,
      body: z.object({ role: Role }),
      response: IdpMembership,
      errors: refusable,
    }),
    removeIdpMembership: operator.delete('/organizations/:idpOrgId/memberships/:idpUserId', {
      summary: 'Remove a user from an organization.',
      description: lastAdmin,
      params,
      errors: refusable,
    }),
  },
});
