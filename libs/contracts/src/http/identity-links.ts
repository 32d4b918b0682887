import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, authenticated, defineRouter } from './contract.ts';
import { loginExamples, ScriptFields } from './messenger-auth.ts';
import { PageQuery } from './page.ts';
import { loginPlatform, PlatformName } from './platform.ts';

/** Limit per person: enough for several devices and jobs, and few enough to look through. */
export const maxLinksOfPerson = 10;

const IdentityLink = z
  .object({
    linkId: id,
    userId: id,
    platform: PlatformName,
    platformUserId: z.string(),
    name: z.string().nullable().describe('The name of the account when it was linked.'),
    username: z.string().nullable(),
    createdAt: moment,
  })
  .meta({
    id: 'IdentityLink',
    description: 'A link between an account on a platform and the person who owns it.',
  });

export const LinkIdentityBody = z
  .object({
    platform: z.literal(loginPlatform).default(loginPlatform),
    login: ScriptFields.describe('All fields that the login widget passed to `data-onauth`.'),
  })
  .meta({ examples: [{ platform: loginPlatform, login: loginExamples[0] }] });
export type LinkIdentityBody = z.output<typeof LinkIdentityBody>;

export const identityLinksRouter = defineRouter({
  basePath: '/api/identity-links',
  service: 'tenancy',
  description:
    'Links between accounts on platforms and the people who own them. An account belongs to at most one person.',
  routes: {
    listIdentityLinks: admin.list('/', {
      summary: 'List the accounts that people of the active tenant have linked.',
      query: PageQuery.extend({ userId: id.optional(), platform: PlatformName.optional() }),
      response: z.array(IdentityLink),
    }),
    listOwnIdentityLinks: authenticated.get('/own', {
      summary: "List the caller's own linked accounts.",
      response: z.array(IdentityLink),
    }),
    linkIdentity: authenticated.post('/', {
      summary: 'Link an account of the messenger to the caller.',
      description:
        'Both sides are proven: the caller by the session, the account by the fields of the login widget that the platform signed ' +
        '(see `/api/messenger-auth/config`). The fields must be at most 5 minutes old and can be used once. Callers can link accounts ' +
        'only to themselves. Returns 401 if the signature is invalid, and 409 if the account is already linked or the caller would ' +
        `have more than ${maxLinksOfPerson} accounts.`,
      body: LinkIdentityBody,
      maxBodyBytes: 8 * 1024,
      response: IdentityLink,
      status: 201,
      errors: [401, 404, 409],
    }),
    unlinkIdentity: authenticated.delete('/:linkId', {
      summary: 'Unlink an account.',
      description:
        'Callers can unlink their own accounts, and operators any account. For all others, returns 404.',
    }),
  },
});
