import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** Of an empty key everybody would know the signatures. */
const signingKey = /^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

export const webhooksConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  MAILER_API_URL: httpAddress.default('https://api.mailgun.net'),
  /** The installation's account at the mailer. Without it, mails of who has no account of their own are kept. */
  MAILER_API_KEY: optionalFor(
    secretSetting,
    'mails of who has no account of their own are kept and not sent',
  ),
  /** The domain that the account sends from; without it, that of each address. */
  MAILER_DOMAIN: shown(
    z
      .string()
      .regex(/^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i)
      .optional(),
  ),
  WEBHOOK_BASE_URL: httpAddress.default('http://localhost:3001'),
  /** Where people reach the gateway with a browser; by default where the platforms do. */
  PUBLIC_BASE_URL: httpAddress.optional(),
  /** How often the platform is asked where it delivers to, for each integration; a fifth sooner or later. */
  WEBHOOK_CHECK_EVERY_MS: z.coerce.number().int().min(1000).max(604_800_000).default(900_000),
  WEBHOOK_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** The signing secret of the identity provider's webhook, as its dashboard shows it. */
  IDP_WEBHOOK_SECRET: optionalFor(
    secretSetting.refine((secret) => signingKey.test(secret.reveal()), 'must be whsec_ and base64'),
    'deliveries of the identity provider are refused with 500',
  ),
  ...objectStoreSettings,
  DATA_DIR: shown(z.string().optional()),
  /** Where files lie while a mail is looked at; by default in DATA_DIR, else where the system keeps such files. */
  MAIL_SPOOL_DIR: shown(z.string().optional()),
  /** Connections kept for admission, so that nothing else can keep a delivery waiting. */
  ADMISSION_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
