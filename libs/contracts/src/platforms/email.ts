import { z } from 'zod';
import type { PlatformDefinition } from './definition.ts';

const senderPolicies = ['authorized', 'open'] as const;
const address = z.email().max(254).toLowerCase();
/** A secret that goes into a header or an HMAC: no blanks, no line breaks. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without blanks');

export const EmailSecrets = z.object({
  /** Sends in the tenant's own account at the mailer. */
  apiKey: z.string().optional(),
  /** Verifies what the mailer delivers; without it nothing is verified (REQ-HOOK-2). */
  webhookSigningKey: z.string().optional(),
  senderPolicy: z.enum(senderPolicies).default('authorized'),
});
export type EmailSecrets = z.output<typeof EmailSecrets>;

export const email = {
  meaning: 'mail, by way of the mailer',
  noun: 'mail',
  credential: 'address',
  registersWebhook: false,
  isLive: false,
  joinsMessages: false,
  provesSenders: false,
  privateChatIsPerson: false,
  usesAddresses: true,
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
          'must be an e-mail address without a +',
        )
        .describe('The mailbox that people write to, without a `+`.'),
      apiKey: secret
        .optional()
        .describe("Sends in the name of the tenant's own account; without it the installation's is used."),
    })
    .describe('The mailbox, and by whose account it sends.'),
  account: 'address',
  settings: z.object({
    webhookSigningKey: secret
      .optional()
      .describe(
        'With which the mailer signs what it delivers. Without it deliveries are not checked by a signature of the integration.',
      ),
    senderPolicy: z
      .enum(senderPolicies, { error: 'must be one of authorized, open' })
      .optional()
      .describe(
        '`authorized` (default): an unknown sender gets a link first. `open`: everybody is answered.',
      ),
  }),
  shownSettings: z.object({
    webhookSigningKey: z.string().optional().describe('Masked. Absent where none was given.'),
    senderPolicy: z.enum(senderPolicies).optional(),
  }),
  secrets: EmailSecrets,
  shownWhole: ['address', 'senderPolicy'],
} satisfies PlatformDefinition;
