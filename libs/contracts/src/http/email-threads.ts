import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { Download } from './download.ts';
import { GrantKind } from './email-auth.ts';
import { PageQuery, pageQueryBy } from './page.ts';

const address = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be an email address');

export const EmailThread = z
  .object({
    threadId: id,
    botId: id,
    integrationId: id,
    conversationId: id.describe('The same conversation as in `/api/interactions`.'),
    subject: z.string().describe('The subject of the latest email.'),
    correspondent: z.string().describe('The address to which replies are sent.'),
    correspondentName: z.string().describe("The correspondent's name in the email. May be empty."),
    state: z
      .enum(['active', 'held', 'bounced'])
      .describe(
        '`bounced`: the address does not accept email. `held`: an email waits until its sender is admitted.',
      ),
    heldCount: z.int(),
    createdAt: moment,
    lastMailAt: moment,
  })
  .meta({ id: 'EmailThread', description: 'A conversation by email between a bot and one correspondent.' });
export type EmailThread = z.input<typeof EmailThread>;

const MailState = z
  .enum(['held', 'admitted', 'ignored', 'queued', 'sending', 'sent', 'failed', 'bounced'])
  .describe('`held`, `admitted` and `ignored` are states of incoming emails, all others of outgoing emails.');

const SenderProof = z
  .enum(['proven', 'failed', 'unknown'])
  .describe(
    "Whether the mailer's SPF and DKIM results prove that the email is from the domain of `sender`. `failed`: they do not, so the email " +
      'is held even if its sender may write. `unknown`: the mailer reported no results.',
  );

const Attachment = z
  .object({
    attachmentId: id,
    name: z.string().describe('The file name given by the sender.'),
    mediaType: z.string().describe('The media type detected from the bytes, not taken from the sender.'),
    sizeBytes: z.int(),
    missingReason: z
      .enum(['storage_full', 'expired'])
      .nullable()
      .describe(
        'Why the file cannot be downloaded. `storage_full`: the tenant had no storage left when the email arrived. `expired`: the installation no longer keeps files of that age.',
      ),
  })
  .meta({ id: 'EmailAttachment', description: 'A file attached to an email.' });

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
    text: z.string().describe('The text, without quoted parts. Lists show its first 4,000 characters.'),
    hasHtml: z.boolean().describe('Whether the email has an HTML part.'),
    state: MailState,
    reason: z.string().nullable().describe("Why the email was held or ignored, or the mailer's answer."),
    isAutomatic: z
      .boolean()
      .describe(
        'Whether a program or a mailing list sent it. It is then never answered, and `reason` says why.',
      ),
    isByStaff: z.boolean().describe('Whether a staff member who had taken over the chat wrote the email.'),
    attachments: z.array(Attachment),
    createdAt: moment,
    sentAt: moment.nullable(),
  })
  .meta({ id: 'Email', description: 'One email of a thread.' });
export type Email = z.input<typeof Email>;

export const EmailDetail = Email.extend({
  messageId: z.string().describe('The `Message-ID` of the email.'),
  inReplyTo: z
    .string()
    .nullable()
    .describe('The `Message-ID` of the email that this email answers. `null` if it answers none.'),
  text: z.string().describe('The text, without quoted parts.'),
  originalText: z.string().nullable().describe('The whole plain text, as received or sent.'),
  html: z
    .string()
    .nullable()
    .describe("A stranger's HTML as received. Never insert it into a page unsanitized."),
  isUncertain: z.boolean().describe('Whether the email may have been sent twice.'),
}).meta({ id: 'EmailDetail', description: 'One email with its full text.' });

const SenderGrant = z
  .object({
    grantId: id,
    botId: id,
    kind: GrantKind,
    value: z.string().describe("The address, the domain or the thread's identifier."),
    grantedBy: z
      .string()
      .describe(
        'The author of the grant: the address whose link created it, `user:` followed by the admin, or `erased:` if that person was erased.',
      ),
    createdAt: moment,
  })
  .meta({
    id: 'SenderGrant',
    description: 'A permission by which emails of an address, a thread or a domain are answered.',
  });

const BouncedAddress = z
  .object({
    address: z.string(),
    reason: z.string().describe("The reason, in the mailer's words."),
    bouncedAt: moment.describe('When email to the address last bounced.'),
  })
  .meta({
    id: 'BouncedAddress',
    description: 'An address that does not accept email. Nothing is sent to it.',
  });

export const emailThreadsRouter = defineRouter({
  basePath: '/api/email-threads',
  service: 'webhooks',
  description: "Emails of the active tenant's bots, and permissions to write to the bots.",
  routes: {
    listThreads: admin.list('/', {
      summary: 'List the email threads.',
      query: PageQuery.extend({
        botId: id.optional(),
        address: address.optional().describe('Only threads with this correspondent.'),
        state: EmailThread.shape.state.optional(),
      }),
      response: z.array(EmailThread),
    }),
    listHeldMails: admin.list('/held-mails', {
      summary: 'List emails that wait until their senders are admitted.',
      query: PageQuery.extend({
        botId: id.optional(),
        address: address.optional().describe('Only emails from this sender.'),
      }),
      response: z.array(Email),
    }),
    admitHeldMail: admin.post('/held-mails/:mailId/admit', {
      summary: 'Admit a held email, so that it is answered.',
      description:
        'Admits this email only; `POST /api/email-threads/senders` admits its sender. Returns 409 if the email is not held or its bot has no mailbox.',
      response: Email,
      errors: [409],
    }),
    refuseHeldMail: admin.post('/held-mails/:mailId/refuse', {
      summary: 'Refuse a held email.',
      description:
        'The email stays in its thread as `ignored` and is never answered. Its sender is not informed. Returns 409 if the email is not held.',
      response: Email,
      errors: [409],
    }),
    listSenderGrants: admin.list('/senders', {
      summary: 'List the grants by which senders may write to the bots.',
      query: PageQuery.extend({ botId: id.optional(), kind: GrantKind.optional() }),
      response: z.array(SenderGrant),
    }),
    createSenderGrant: admin.post('/senders', {
      summary: 'Let an address, a thread or a domain write to a bot.',
      description:
        'Held emails that the grant covers are then answered. Returns 404 if the bot has no mailbox or no such thread, 409 if the grant exists already or there are too many grants, and 422 for the domain of a public email provider.',
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
        releasedCount: z.int().describe('The number of held emails that are answered now.'),
      }).meta({
        id: 'CreatedSenderGrant',
        description: 'A new grant, with the number of held emails that it released.',
      }),
      errors: [404, 409, 422],
    }),
    revokeSenderGrant: admin.delete('/senders/:grantId', {
      summary: 'Revoke a grant, regardless of who created it.',
      description: 'Later emails are held again, unless another grant allows them.',
    }),
    listBouncedAddresses: admin.list('/bounces', {
      summary: 'List addresses that do not accept email and get none.',
      query: pageQueryBy(z.string().regex(/^[\d-]{10}T[\d:.]{12}Z [0-9a-f]{32}$/)).extend({
        address: address.optional(),
      }),
      response: z.array(BouncedAddress),
    }),
    liftBounce: admin.post('/bounces/lift', {
      summary: 'Resume sending to a bounced address.',
      description: 'Returns 404 if no email to the address bounced.',
      body: z.object({ address }),
      status: 204,
      errors: [404],
    }),
    getMail: admin.get('/mails/:mailId', {
      summary: 'Get an email with its original text.',
      response: EmailDetail,
    }),
    getAttachment: admin.get('/attachments/:attachmentId', {
      summary: 'Download an attachment.',
      description: 'The response is always a download, with the media type detected from the bytes.',
      response: Download,
    }),
    getThread: admin.get('/:threadId', { summary: 'Get an email thread.', response: EmailThread }),
    listMails: admin.list('/:threadId/mails', {
      summary: 'List the emails of a thread.',
      response: z.array(Email),
    }),
  },
});
