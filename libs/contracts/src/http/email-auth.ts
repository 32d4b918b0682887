import { z } from 'zod';
import { id, moment } from './common.ts';
import { anyone, defineRouter } from './contract.ts';

export const GrantKind = z
  .enum(['sender', 'thread', 'group'])
  .describe(
    '`sender`: one address. `thread`: everyone who writes in one thread. `group`: everyone at one domain, excluding its subdomains.',
  );

const OwnGrant = z
  .object({
    grantId: id,
    kind: GrantKind,
    value: z.string().describe("The address, the domain or the thread's identifier."),
    createdAt: moment,
  })
  .meta({ id: 'OwnGrant', description: 'A permission to write to a bot, granted by the holder of a link.' });

/** Common fields of the responses to the holder of a link. */
const Holder = z.object({
  address: z.string().describe('The address that the link was sent to.'),
  mailbox: z.string().describe('The address of the bot to which the email was sent.'),
  botName: z.string().nullable().describe("The bot's name. `null` while it is unavailable."),
  expiresAt: moment.describe('When the link expires.'),
});

const token = z
  .string()
  .max(200)
  .optional()
  .describe('The token of the link, for clients that send no `Authorization` header.');

export const emailAuthRouter = defineRouter({
  basePath: '/api/email-auth',
  service: 'webhooks',
  description: [
    'Routes for the page that the link in an email to an unknown sender opens. They need no session: every request carries the token of',
    'the link, as `Authorization: Bearer <token>`. The token is the part after `#token=` in the link, 48 characters of 0-9 a-f; opening',
    'the link sends it to no server. Within 24 hours the token can grant access once. For 30 days after that, it can still list and',
    'revoke what it granted. A token that is unknown, expired, used or altered is answered with 401 and the same text in every case.',
  ].join('\n'),
  routes: {
    validateToken: anyone.post('/validate-token', {
      summary: 'Check whether a link can still grant access, and to which address.',
      description: 'Changes nothing and does not use the link. Returns 401 once the link was used.',
      body: z.object({ token }),
      response: Holder.extend({
        threadId: id,
        subject: z.string().describe("The subject of the held email's thread, in the sender's words."),
        continuesChat: z
          .literal(true)
          .optional()
          .describe(
            'Set if the link continues a chat by mail: `authorizeThread` with `thread` sends its answers to the address.',
          ),
      }).meta({ id: 'ValidLink', description: 'The address and the thread for which a link was sent.' }),
      errors: [401],
    }),
    checkTenantAccess: anyone.get('/check-tenant-access', {
      summary: "Check whether the token's address may already write to the bot, and why.",
      response: Holder.extend({
        hasAccess: z.boolean().describe('Whether emails from the address are answered now.'),
        by: z
          .array(z.enum(['sender', 'thread', 'group', 'open']))
          .describe(
            'The reasons for access. `open`: the bot answers everyone. `thread`: only in the thread for which the link was sent.',
          ),
        canAuthorize: z.boolean().describe('Whether the link can still grant access.'),
      }).meta({ id: 'TenantAccess', description: 'Whether the holder of a link may write to the bot.' }),
      errors: [401],
    }),
    listAuthorizationGroups: anyone.get('/authorization-groups', {
      summary: "List the groups that the token's address belongs to.",
      description:
        'A group is an email domain. An address belongs to the group of its domain. Domains of public email providers, where anyone can get an address, are not groups, so the list may be empty.',
      response: z.array(
        z
          .object({
            domain: z.string(),
            hasAccess: z.boolean().describe('Whether everyone at the domain may already write.'),
            canAuthorize: z.boolean().describe('Whether the link can still grant access to the domain.'),
          })
          .meta({
            id: 'AuthorizationGroup',
            description: 'The domain whose senders the holder of a link may admit.',
          }),
      ),
      errors: [401],
    }),
    authorizeThread: anyone.post('/authorize-thread', {
      summary: 'Use the link to let its address, its thread or its domain write to the bot.',
      description: [
        'Held emails that the grant covers are then answered. Works once: of 20 concurrent calls, one creates a grant and 19 return 401.',
        'Returns 422 if the domain belongs to a public email provider, and 409 if the bot has no room for more grants. Neither uses the link.',
      ].join(' '),
      body: z.object({ token, kind: GrantKind.default('sender') }),
      response: OwnGrant.extend({
        releasedCount: z.int().describe('The number of held emails that are answered now.'),
        expiresAt: moment.describe('Until when the link can list and revoke what it granted.'),
      }).meta({ id: 'AuthorizedThread', description: 'The grant that the holder of a link has created.' }),
      errors: [401, 409, 422],
    }),
    listAuthorizedThreads: anyone.list('/authorized-threads', {
      summary: "List the threads in which the token's address may write.",
      response: z.array(
        z.object({ threadId: id, subject: z.string(), lastMailAt: moment }).meta({
          id: 'AuthorizedThreadEntry',
          description: 'A thread of emails in which the holder of a link may write.',
        }),
      ),
      errors: [401],
    }),
    listOwnGrants: anyone.list('/senders', {
      summary: "List the grants that the token's address has created.",
      response: z.array(OwnGrant),
      errors: [401],
    }),
    revokeOwnGrant: anyone.delete('/senders/:grantId', {
      summary: "Revoke a grant that the token's address has created.",
      description: 'Later emails are held again, unless another grant allows them.',
      errors: [401],
    }),
  },
});
