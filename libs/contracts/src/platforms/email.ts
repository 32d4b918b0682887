import { z } from 'zod';
import type { Capabilities, PlatformDefinition } from './definition.ts';
import { receivesMail } from './email-deliveries.ts';

const senderPolicies = ['authorized', 'open'] as const;
const address = z.email().max(254).toLowerCase();
/** A secret that goes into a header or an HMAC: no blanks, no line breaks. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without blanks');

const maxAllowedLists = 100;
/** `support.acme.example` or `support@acme.example`, as `List-Id` and the list's headers name it. */
const list = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[^\s<>,;"]{1,254}$/, 'must be a list id or an address');

export const EmailSecrets = z.object({
  /** Key for sending through the tenant's own account at the mailer. */
  apiKey: z.string().optional(),
  /** Verifies deliveries of the mailer; without it nothing is verified (REQ-HOOK-2). */
  webhookSigningKey: z.string().optional(),
  senderPolicy: z.enum(senderPolicies).default('authorized'),
  /** Mailing lists whose mail is answered: list ids or addresses, in lower case. */
  allowedLists: z.array(z.string()).optional(),
});
export type EmailSecrets = z.output<typeof EmailSecrets>;

const capabilities = {
  groups: false,
  threads: true,
  topics: false,
  edits: false,
  deletions: false,
  challenges: false,
  programs: true,
  statuses: false,
  reads: false,
  ratings: false,
  removals: false,
  buttons: false,
  filesIn: true,
  filesOut: true,
  typing: false,
  readMarks: false,
  previews: false,
  blocks: false,
  renames: false,
  rates: true,
  formatting: true,
  templates: false,
} satisfies Capabilities;

export const email = {
  title: 'Email',
  icon: 'mail',
  about: 'People write to a mailbox, and the bot answers in the thread.',
  setUp: {
    before: [],
    after: [
      {
        text: 'At the mail provider, route the mail of this mailbox to the address for deliveries.',
        copy: { label: 'Copy address', text: '{deliverTo}' },
      },
      { text: 'Send a mail to the mailbox to try it.' },
    ],
  },
  meaning: 'email, through the mailer',
  noun: 'mail',
  credential: 'address',
  registersWebhook: false,
  isLive: false,
  joinsMessages: false,
  provesSenders: false,
  privateChatIsPerson: false,
  usesAddresses: true,
  capabilities,
  limits: { textLength: 1_000_000, fileBytes: 25 * 1000 * 1000, filesPerMessage: 100 },
  waitScope: 'chat',
  namesChatsAlone: true,
  personId: address,
  chatId: address,
  credentials: z
    .object({
      /** The address that people write to. The part before a `+` is the bot's; the part after it names a thread. */
      address: z
        .string()
        .trim()
        .toLowerCase()
        .max(254)
        .regex(
          /^[^\s@+<>"(),:;[\]\\]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/,
          'must be an email address without a +',
        )
        .describe('The mailbox that people write to, without a `+`.'),
      apiKey: secret
        .optional()
        .describe(
          "Key for sending through the tenant's own account at the mailer. If omitted, the installation's account is used.",
        ),
    })
    .describe('The mailbox, and the account that sends its mail.'),
  accountCredential: 'address',
  accountId: 'the address of the mailbox',
  settings: z.object({
    webhookSigningKey: secret
      .optional()
      .describe(
        'The key with which the mailer signs its deliveries. If omitted, deliveries are not checked by a signature of the integration.',
      ),
    senderPolicy: z
      .enum(senderPolicies, { error: 'must be one of authorized, open' })
      .optional()
      .describe('`authorized` (default): an unknown sender first gets a link. `open`: everyone is answered.'),
    allowedLists: z
      .array(list)
      .max(maxAllowedLists, `must be at most ${maxAllowedLists} lists`)
      .optional()
      .describe(
        'Mailing lists and groups whose mail is answered, by list id (`support.acme.example`) or address. Mail through any other list is shown as automatic and not answered.',
      ),
  }),
  shownSettings: z.object({
    webhookSigningKey: z.string().optional().describe('The masked signing key. Omitted if there is none.'),
    senderPolicy: z.enum(senderPolicies).optional(),
    allowedLists: z.array(z.string()).optional().describe('Mailing lists and groups whose mail is answered.'),
  }),
  secrets: EmailSecrets,
  shownWhole: ['address', 'senderPolicy', 'allowedLists'],
  form: {
    address: { label: 'Address', help: 'The mailbox that people write to.' },
    apiKey: {
      label: 'API key of the mail provider',
      help: "If you leave it empty, the installation's account sends the mail.",
    },
    webhookSigningKey: {
      label: 'Signing key of deliveries',
      help: 'The mail provider signs its deliveries with it.',
    },
    senderPolicy: {
      label: 'Mail of unknown people',
      choices: { authorized: 'Is answered after they open a link', open: 'Is answered' },
    },
    allowedLists: {
      label: 'Mailing lists that are answered',
      help: 'List ids or addresses, one a line.',
    },
  },
  headers: [],
  publicPaths: [],
  operations: [receivesMail('receiveEmail'), receivesMail('receiveEmailOfBot', '/{botId}')],
} satisfies PlatformDefinition;
