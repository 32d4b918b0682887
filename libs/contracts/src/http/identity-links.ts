import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { loginExamples, ScriptFields } from './messenger-auth.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

/** Limit per person: enough for several devices and jobs, and few enough to look through. */
export const maxLinksOfPerson = 10;

const IdentityLink = z
  .object({
    linkId: id,
    userId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    name: z.string().nullable().describe('As the account was called when it was linked.'),
    username: z.string().nullable(),
    createdAt: moment,
  })
  .meta({ id: 'IdentityLink', description: 'That an account on a platform belongs to a person.' });

export const LinkIdentityBody = z
  .object({
    platform: z.literal('messenger').default('messenger'),
    login: ScriptFields.describe('What the login widget gave to `data-onauth`, all of it.'),
  })
  .meta({ examples: [{ platform: 'messenger', login: loginExamples[0] }] });
export type LinkIdentityBody = z.output<typeof LinkIdentityBody>;

export const identityLinksRouter = defineRouter({
  basePath: '/api/identity-links',
  service: 'tenancy',
  description: 'Which accounts on the platforms are whose. An account is of one person at most.',
  routes: {
    listIdentityLinks: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List the accounts that people of the active tenant have linked.',
      query: PageQuery.extend({ userId: id.optional(), platform: PlatformName.optional() }),
      response: z.array(IdentityLink),
      paged: true,
    }),
    listOwnIdentityLinks: route({
      method: 'get',
      path: '/own',
      access: 'authenticated',
      summary: "List the caller's own linked accounts.",
      response: z.array(IdentityLink),
    }),
    linkIdentity: route({
      method: 'post',
      path: '/',
      access: 'authenticated',
      summary: 'Link an account of the messenger to the caller.',
      description:
        'Both sides are proven: the caller by the session, the account by what the platform signed for it (the fields of the ' +
        'login widget, see `/api/messenger-auth/config`; at most 5 minutes old, and each used once). Nobody can link for somebody ' +
        `else. 401 for a signature that is none; 409 for an account that is linked already, and for more than ${maxLinksOfPerson} accounts.`,
      body: LinkIdentityBody,
      maxBodyBytes: 8 * 1024,
      response: IdentityLink,
      status: 201,
      errors: [401, 404, 409],
    }),
    unlinkIdentity: route({
      method: 'delete',
      path: '/:linkId',
      access: 'authenticated',
      summary:
        "Unlink an account: the caller's own. An operator may unlink anybody's; to all others it isn't there.",
    }),
  },
});
