import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Download } from './download.ts';
import { GrantKind } from './email-auth.ts';
import { PageQuery, pageQueryBy } from './page.ts';

const address = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be an e-mail address');

export const EmailThread = z
  .object({
    threadId: id,
    botId: id,
    integrationId: id,
    conversationId: id.describe('The same as in `/api/interactions`.'),
    subject: z.string().describe('Of the latest mail.'),
    correspondent: z.string().describe('The address that replies go to.'),
    correspondentName: z.string(),
    state: z
      .enum(['active', 'held', 'bounced'])
      .describe('`bounced`: the address takes no mail. `held`: a mail waits until its sender is let in.'),
    heldCount: z.number().int(),
    createdAt: moment,
    lastMailAt: moment,
  })
  .meta({ id: 'EmailThread', description: 'A conversation by mail between a bot and one correspondent.' });
export type EmailThread = z.input<typeof EmailThread>;

const MailState = z
  .enum(['held', 'admitted', 'ignored', 'queued', 'sending', 'sent', 'failed', 'bounced'])
  .describe('Of what came in: `held`, `admitted`, `ignored`. Of what went out: the others.');

const SenderProof = z
  .enum(['proven', 'failed', 'unknown'])
  .describe(
    "Whether the mailer's SPF and DKIM results show that the mail is from the domain of `sender`. `failed`: they do not, so it is held even " +
      'when its sender may write. `unknown`: the mailer told none.',
  );

const Attachment = z
  .object({
    attachmentId: id,
    name: z.string().describe("In the sender's words."),
    mediaType: z.string().describe('What the bytes are, whatever the sender says.'),
    sizeBytes: z.number().int(),
    missingReason: z
      .enum(['storage_full', 'expired'])
      .nullable()
      .describe(
        'Why there is nothing to download: the tenant had no room when it came, or it was kept as long as the installation keeps files.',
      ),
  })
  .meta({ id: 'EmailAttachment', description: 'A file of a mail.' });

export const Email = z
  .object({
    mailId: id,
    threadId: id,
    botId: id,
    direction: z.enum(['in', 'out']),
    sender: z.string(),
    senderName: z.string(),
    senderProof: SenderProof,
    recipient: z.string(),
    subject: z.string(),
    text: z.string().describe('What was written, without what was quoted; its first 20,000 characters.'),
    hasHtml: z.boolean().describe('Whether it had a part in HTML.'),
    state: MailState,
    reason: z.string().nullable().describe('Why it was held or ignored, or what the mailer said.'),
    isByStaff: z.boolean().describe('A person of the tenant wrote it, who had taken the chat over.'),
    attachments: z.array(Attachment),
    createdAt: moment,
    sentAt: moment.nullable(),
  })
  .meta({ id: 'Email', description: 'One mail of a thread.' });
export type Email = z.input<typeof Email>;

export const EmailDetail = Email.extend({
  messageId: z.string().describe('The `Message-ID` of the mail.'),
  inReplyTo: z
    .string()
    .nullable()
    .describe('The `Message-ID` of the mail that it answers; `null` where it answers none.'),
  text: z.string().describe('What was written, without what was quoted.'),
  originalText: z.string().nullable().describe('The whole plain text as it came, or as it was sent.'),
  html: z.string().nullable().describe("A stranger's HTML as it came: never put it into a page as it is."),
  isUncertain: z.boolean().describe('It may have been sent twice.'),
}).meta({ id: 'EmailDetail', description: 'One mail with its whole text.' });

const SenderGrant = z
  .object({
    grantId: id,
    botId: id,
    kind: GrantKind,
    value: z.string().describe("The address, the domain or the thread's identifier."),
    grantedBy: z
      .string()
      .describe(
        'The address whose link allowed it, `user:` and the admin who did, or `erased:` when that person was erased.',
      ),
    createdAt: moment,
  })
  .meta({ id: 'SenderGrant', description: 'That mails of an address, a thread or a domain are answered.' });

const BouncedAddress = z
  .object({
    address: z.string(),
    reason: z.string().describe('Why, in the words of the mailer.'),
    bouncedAt: moment,
  })
  .meta({ id: 'BouncedAddress', description: 'An address that takes no mail: nothing is sent to it.' });

export const emailThreadsRouter = defineRouter({
  basePath: '/api/email-threads',
  service: 'webhooks',
  description: "Mail of the active tenant's bots, and who may write to them.",
  reserves: 'admin',
  routes: {
    listThreads: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List threads.',
      query: PageQuery.extend({
        botId: id.optional(),
        address: address.optional().describe('Of the correspondent.'),
        state: EmailThread.shape.state.optional(),
      }),
      response: z.array(EmailThread),
      paged: true,
    }),
    listHeldMails: route({
      method: 'get',
      path: '/held-mails',
      access: 'admin',
      summary: 'List mails that wait until their senders are let in.',
      query: PageQuery.extend({
        botId: id.optional(),
        address: address.optional().describe('Of the sender.'),
      }),
      response: z.array(Email),
      paged: true,
    }),
    admitHeldMail: route({
      method: 'post',
      path: '/held-mails/:mailId/admit',
      access: 'admin',
      summary: 'Have a held mail answered.',
      description:
        'This one only: its sender is not let in by it (`POST /api/email-threads/senders` does that). 409 when it is not held, or when its bot has no mailbox.',
      response: Email,
      errors: [409],
    }),
    refuseHeldMail: route({
      method: 'post',
      path: '/held-mails/:mailId/refuse',
      access: 'admin',
      summary: 'Refuse a held mail.',
      description:
        'It stays in its thread as `ignored`, is never answered, and its sender is told nothing. 409 when it is not held.',
      response: Email,
      errors: [409],
    }),
    listSenderGrants: route({
      method: 'get',
      path: '/senders',
      access: 'admin',
      summary: 'List who may write to the bots.',
      query: PageQuery.extend({ botId: id.optional(), kind: GrantKind.optional() }),
      response: z.array(SenderGrant),
      paged: true,
    }),
    createSenderGrant: route({
      method: 'post',
      path: '/senders',
      access: 'admin',
      summary: 'Let an address, a thread or a domain write to a bot.',
      description:
        'What was held of them is answered then. 404 when the bot has no mailbox or no such thread, 409 when it is granted already or there are too many grants, 422 for the domain of a public mail provider.',
      body: z.object({
        botId: id,
        kind: GrantKind,
        value: z
          .string()
          .trim()
          .toLowerCase()
          .min(1)
          .max(254)
          .describe("The address, the domain or the thread's identifier."),
      }),
      status: 201,
      response: SenderGrant.extend({
        releasedCount: z.number().int().describe('How many held mails are answered now.'),
      }).meta({
        id: 'CreatedSenderGrant',
        description: 'A new grant, with how many mails it let through at once.',
      }),
      errors: [404, 409, 422],
    }),
    revokeSenderGrant: route({
      method: 'delete',
      path: '/senders/:grantId',
      access: 'admin',
      summary: 'Take a grant back, whoever gave it.',
      description: 'Mail that comes from then on is held again, unless another grant allows it.',
    }),
    listBouncedAddresses: route({
      method: 'get',
      path: '/bounces',
      access: 'admin',
      summary: 'List addresses that take no mail: nothing is sent to them.',
      query: pageQueryBy(z.string().regex(/^[\d-]{10}T[\d:.]{12}Z [0-9a-f]{32}$/)).extend({
        address: address.optional(),
      }),
      response: z.array(BouncedAddress),
      paged: true,
    }),
    liftBounce: route({
      method: 'post',
      path: '/bounces/lift',
      access: 'admin',
      summary: 'Send to an address again.',
      description: '404 when nothing bounced there.',
      body: z.object({ address }),
      status: 204,
      errors: [404],
    }),
    getMail: route({
      method: 'get',
      path: '/mails/:mailId',
      access: 'admin',
      summary: 'Get a mail with its original.',
      response: EmailDetail,
    }),
    getAttachment: route({
      method: 'get',
      path: '/attachments/:attachmentId',
      access: 'admin',
      summary: 'Download an attachment.',
      description: 'Always as a file to be saved, with the type that its bytes have.',
      response: Download,
    }),
    getThread: route({
      method: 'get',
      path: '/:threadId',
      access: 'admin',
      summary: 'Get a thread.',
      response: EmailThread,
    }),
    listMails: route({
      method: 'get',
      path: '/:threadId/mails',
      access: 'admin',
      summary: "List a thread's mails.",
      query: PageQuery,
      response: z.array(Email),
      paged: true,
    }),
  },
});
