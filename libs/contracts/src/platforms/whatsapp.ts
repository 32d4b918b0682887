import { z } from 'zod';
import type { Capabilities, PlatformDefinition, WebhookOperation } from './definition.ts';

/** An identifier that the platform gives an account or a number. */
const graphId = (what: string) =>
  z
    .string()
    .trim()
    .regex(/^[1-9][0-9]{4,29}$/, `must be the digits of ${what}`)
    .meta({ examples: ['106540352242922'] });

/** A secret that goes into a header, a query or an HMAC: no blanks, no line breaks. */
const secret = (longest: number) =>
  z
    .string()
    .trim()
    .regex(
      new RegExp(`^[\\x21-\\x7e]{1,${longest}}$`),
      `must be 1 to ${longest} printable characters without blanks`,
    );

/**
 * A person, by the identifier that the platform gives them for one business (`DE.13491208655302741918`), or by the
 * digits of their phone number where the platform tells no other.
 */
const person = z
  .string()
  .max(140)
  .regex(
    /^(?:[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}|[1-9][0-9]{4,19})$/,
    'must be a business-scoped user id of WhatsApp, or the digits of a phone number',
  );

export const WhatsAppSecrets = z.object({
  accessToken: z.string(),
  phoneNumberId: z.string(),
  businessAccountId: z.string(),
  /** Signs the platform's deliveries. */
  appSecret: z.string(),
  /** The token that the platform shows when it checks the address for deliveries. */
  verifyToken: z.string(),
});
export type WhatsAppSecrets = z.output<typeof WhatsAppSecrets>;

/** Edits and deletions come only from numbers that are also used in the WhatsApp Business app. */
const capabilities: Capabilities = {
  groups: false,
  threads: false,
  topics: false,
  edits: true,
  deletions: true,
  challenges: true,
  programs: false,
  statuses: true,
  reads: true,
  ratings: true,
  removals: true,
  buttons: true,
  filesIn: true,
  filesOut: true,
  typing: true,
  readMarks: true,
  previews: false,
  blocks: true,
  renames: true,
  rates: true,
  formatting: true,
  templates: true,
};

const notification = z
  .looseObject({
    object: z.literal('whatsapp_business_account'),
    entry: z
      .array(
        z.looseObject({
          id: z.string().describe('The identifier of the WhatsApp Business account.'),
          changes: z
            .array(
              z.looseObject({ field: z.string().describe('The kind of the change, such as `messages`.') }),
            )
            .describe('What happened, in its order.'),
        }),
      )
      .describe('Messages, statuses and news, of one or several numbers.'),
  })
  .describe('A notification of the platform. Unknown kinds are accepted and ignored.');

const challengeQuery = z.object({
  'hub.mode': z.literal('subscribe'),
  'hub.verify_token': z.string().describe('The token that was registered with the address.'),
  'hub.challenge': z.string().describe('The text to answer with.'),
});

const signatureHeader = z.object({
  'X-Hub-Signature-256': z.string().describe("The HMAC-SHA256 of the body with the app's secret."),
});

/** The address of one bot, or of an app that serves the numbers of many. */
const operationsAt = (id: string, address: string, whose: string): WebhookOperation[] => [
  {
    method: 'get',
    path: `/webhooks/whatsapp${address}`,
    operationId: `verifyWhatsApp${id}`,
    summary: `Answer WhatsApp's check of ${whose} address`,
    description: 'WhatsApp calls the address when it is registered. The token has to be the registered one.',
    query: challengeQuery,
    answer: { description: 'The challenge, unchanged.', contentType: 'text/plain', schema: z.string() },
    errors: [401, 404, 429],
  },
  {
    method: 'post',
    path: `/webhooks/whatsapp${address}`,
    operationId: `receiveWhatsApp${id}`,
    summary: `Receive notifications of WhatsApp at ${whose} address`,
    description:
      'A notification may hold many messages and statuses. The answer is 200 only when all of them are committed; otherwise WhatsApp delivers it again, for up to seven days.',
    headers: signatureHeader,
    body: { 'application/json': notification },
    errors: [400, 401, 404, 413, 429, 503],
  },
];

export const whatsapp = {
  title: 'WhatsApp',
  icon: 'phone',
  about: 'Customers write to the number of your business.',
  setUp: {
    before: [
      {
        text: 'At Meta, create an app with the product WhatsApp, and add your number. Copy the two identifiers from "API setup" and the app secret from "App settings, Basic".',
        link: { label: 'Open Meta for Developers', address: 'https://developers.facebook.com/apps' },
      },
      { text: 'Make a token of a system user. The one on the page "API setup" expires after a day.' },
    ],
    after: [
      { text: 'The address for deliveries is registered for you, with the verify token.' },
      { text: 'Publish the app (App mode: live). Before that only its admins and testers can write.' },
    ],
  },
  meaning: 'WhatsApp, through the Cloud API',
  noun: 'WhatsApp',
  credential: 'phone number',
  registersWebhook: true,
  isLive: true,
  joinsMessages: true,
  provesSenders: true,
  privateChatIsPerson: true,
  usesAddresses: false,
  capabilities,
  limits: { textLength: 4096, fileBytes: 100 * 1024 * 1024, filesPerMessage: 1 },
  waitScope: 'chat',
  personId: person,
  chatId: person,
  credentials: z
    .object({
      accessToken: secret(1000).describe(
        'The token of a system user with the permissions `whatsapp_business_messaging` and `whatsapp_business_management`. It is encrypted before it is stored, and never shown again.',
      ),
      phoneNumberId: graphId('a phone number of WhatsApp').describe(
        "The identifier of the business's phone number, not the number itself.",
      ),
      businessAccountId: graphId('a WhatsApp Business account').describe(
        'The identifier of the WhatsApp Business account that the number belongs to.',
      ),
      appSecret: secret(200).describe(
        'The secret of the app that the token belongs to. Deliveries are signed with it. Never shown again.',
      ),
    })
    .describe('The phone number, and the app that sends and receives for it.'),
  accountId: 'the identifier of the phone number',
  settings: z.object({
    verifyToken: secret(200)
      .optional()
      .describe(
        'The token that the platform shows when it checks the address for deliveries. Generated if omitted.',
      ),
  }),
  shownSettings: z.object({
    verifyToken: z.string().optional().describe('The masked token.'),
  }),
  secrets: WhatsAppSecrets,
  shownWhole: ['phoneNumberId', 'businessAccountId'],
  deliverySecret: 'verifyToken',
  form: {
    accessToken: { label: 'Access token', help: 'Of a system user, so that it does not expire.' },
    phoneNumberId: { label: 'Phone number ID' },
    businessAccountId: { label: 'WhatsApp Business account ID' },
    appSecret: {
      label: 'App secret',
      help: "In the app's basic settings at Meta. Deliveries are signed with it.",
    },
    verifyToken: {
      label: 'Verify token',
      help: 'WhatsApp shows it when it checks our address. It is made for you if you leave it empty.',
    },
  },
  headers: ['x-hub-signature-256'],
  publicPaths: [],
  operations: [...operationsAt('OfBot', '/{botId}', "a bot's"), ...operationsAt('', '', "the app's own")],
  commands: { prefix: '/' },
} satisfies PlatformDefinition;
