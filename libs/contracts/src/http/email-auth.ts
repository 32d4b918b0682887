import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

export const GrantKind = z
  .enum(['sender', 'thread', 'group'])
  .describe(
    '`sender`: one address. `thread`: whoever writes in one thread. `group`: everybody of one domain, its subdomains excluded.',
  );

const OwnGrant = z
  .object({
    grantId: id,
    kind: GrantKind,
    value: z.string().describe("The address, the domain or the thread's identifier."),
    createdAt: moment,
  })
  .meta({ id: 'OwnGrant', description: 'A permission to write to a bot that the holder of a link gave.' });

/** Common fields of every answer to the holder of a link. */
const Holder = z.object({
  address: z.string().describe('The address that the link was sent to.'),
  mailbox: z.string().describe('The address of the bot that was written to.'),
  botName: z.string().nullable().describe('`null` while it can not be asked for.'),
  expiresAt: moment.describe('When the link ends.'),
});

const token = z
  .string()
  .max(200)
  .optional()
  .describe('The token of the link, for who sends no `Authorization` header.');

export const emailAuthRouter = defineRouter({
  basePath: '/api/email-auth',
  service: 'webhooks',
  description: [
    'What the link in a mail to an unknown sender opens. Nothing here needs a session: every call shows the token of the link, as',
    '`Authorization: Bearer <token>`. The token is what follows `#token=` in the link, 48 characters of 0-9 a-f; no server sees it when the',
    'link is opened. Within 24 hours it allows once. After that the same token still shows and takes back what it allowed, for 30 days.',
    'A token that is unknown, over, used up or altered is answered 401 with the same words, whatever it is.',
  ].join('\n'),
  routes: {
    validateToken: route({
      method: 'post',
      path: '/validate-token',
      access: 'public',
      summary: 'Tell whether a link can still allow somebody, and whom.',
      description: 'Changes nothing and uses nothing up. 401 once the link was used.',
      body: z.object({ token }),
      response: Holder.extend({
        threadId: id,
        subject: z.string().describe('Of the thread that the held mail is in, in the words of its sender.'),
      }).meta({ id: 'ValidLink', description: 'What a link that a sender got by mail is for.' }),
      errors: [401],
    }),
    checkTenantAccess: route({
      method: 'get',
      path: '/check-tenant-access',
      access: 'public',
      summary: "Tell whether the token's address may write to the bot already, and by what.",
      response: Holder.extend({
        hasAccess: z.boolean().describe('Whether mails of the address are answered now.'),
        by: z
          .array(z.enum(['sender', 'thread', 'group', 'open']))
          .describe(
            '`open`: the bot answers everybody. `thread`: only in the thread that the link was sent for.',
          ),
        canAuthorize: z.boolean().describe('Whether the link can still allow somebody.'),
      }).meta({ id: 'TenantAccess', description: 'Whether the holder of a link may write to the bot.' }),
      errors: [401],
    }),
    listAuthorizationGroups: route({
      method: 'get',
      path: '/authorization-groups',
      access: 'public',
      summary: "List the groups that the token's address belongs to.",
      description:
        'A group is a mail domain. An address belongs to its own; domains of public mail providers, where everybody gets an address, are none, so the list may be empty.',
      response: z.array(
        z
          .object({
            domain: z.string(),
            hasAccess: z.boolean().describe('Everybody of the domain may write already.'),
            canAuthorize: z.boolean().describe('The link can still allow the domain.'),
          })
          .meta({
            id: 'AuthorizationGroup',
            description: 'The domain whose senders the holder of a link may let in.',
          }),
      ),
      errors: [401],
    }),
    authorizeThread: route({
      method: 'post',
      path: '/authorize-thread',
      access: 'public',
      summary: 'Use the link: let its address, its thread or its domain write to the bot.',
      description: [
        'What was held of them is answered then. Works once: 20 calls at once make one grant and 19 times 401.',
        '422 when the domain is one of a public mail provider, 409 when the bot has no room for more grants; neither uses the link up.',
      ].join(' '),
      body: z.object({ token, kind: GrantKind.default('sender') }),
      response: OwnGrant.extend({
        releasedCount: z.number().int().describe('How many held mails are answered now.'),
        expiresAt: moment.describe('Until when the link shows and takes back what it allowed.'),
      }).meta({
        id: 'AuthorizedThread',
        description: 'The thread of mails that the holder of a link has let in.',
      }),
      errors: [401, 409, 422],
    }),
    listAuthorizedThreads: route({
      method: 'get',
      path: '/authorized-threads',
      access: 'public',
      summary: "List the threads of the token's address in which it may write.",
      query: PageQuery,
      response: z.array(
        z.object({ threadId: id, subject: z.string(), lastMailAt: moment }).meta({
          id: 'AuthorizedThreadEntry',
          description: 'A thread of mails that was let in by the holder of a link.',
        }),
      ),
      paged: true,
      errors: [401],
    }),
    listOwnGrants: route({
      method: 'get',
      path: '/senders',
      access: 'public',
      summary: "List what the token's address has allowed.",
      query: PageQuery,
      response: z.array(OwnGrant),
      paged: true,
      errors: [401],
    }),
    revokeOwnGrant: route({
      method: 'delete',
      path: '/senders/:grantId',
      access: 'public',
      summary: "Take back something that the token's address has allowed.",
      description: 'Mail that comes from then on is held again, unless another grant allows it.',
      errors: [401],
    }),
  },
});
