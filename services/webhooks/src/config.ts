import { addressRanges } from '@botyard/shared/config/address-ranges';
import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { mailerDomainSetting } from '@botyard/shared/mail/settings';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** Of an empty key everybody would know the signatures. */
const signingKey = /^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

const messagesPerDay = z.coerce.number().int().min(0).max(1_000_000_000);

const settings = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  /**
   * How the messenger's updates come: `polling` asks for them, so that a developer's bot needs no https address. By default only in
   * development, where the real platform could not reach `WEBHOOK_BASE_URL`.
   */
  MESSENGER_UPDATES: z.enum(['webhook', 'polling']).optional(),
  MAILER_API_URL: httpAddress.default('https://api.mailgun.net'),
  /** The installation's account at the mailer. Without it, mails of who has no account of their own are kept. */
  MAILER_API_KEY: optionalFor(
    secretSetting,
    'mails of who has no account of their own are kept and not sent',
  ),
  /** The domain that the account sends from. Without it, it sends for domains alone that tenants have proven. */
  MAILER_DOMAIN: mailerDomainSetting,
  /** What this account sends within a day, for each tenant; a day begins with its first mail. */
  MAILER_MESSAGES_PER_DAY: messagesPerDay.default(500),
  /** And for each bot; unset, as for its tenant. */
  MAILER_MESSAGES_PER_DAY_OF_BOT: messagesPerDay.optional(),
  /** Bytes that are kept of each tenant's mails, files and mails as they came, and of files of its chats. */
  TENANT_MAIL_BYTES: ceiling(2 * 1024 ** 3),
  /** Days after which a mail as it came, and the bytes of its files and of files of chats, are removed; what was written stays. */
  MAIL_RETENTION_DAYS: ceiling(null).refine((days) => days === null || (days >= 1 && days <= 36_500), {
    message: 'must be from 1 to 36500, or unlimited',
  }),
  WEBHOOK_BASE_URL: httpAddress.default('http://localhost:3001'),
  /** Where people reach the gateway with a browser; by default where the platforms do. */
  PUBLIC_BASE_URL: httpAddress.optional(),
  /** How often the platform is asked where it delivers to, for each integration; a fifth sooner or later. */
  WEBHOOK_CHECK_EVERY_MS: z.coerce.number().int().min(1000).max(604_800_000).default(900_000),
  /** The gateway's: only to say which balancer is missing in it, when all deliveries seem to come from one address. */
  TRUSTED_PROXIES: shown(addressRanges),
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

export const webhooksConfig = settings.superRefine(({ MESSENGER_UPDATES, NODE_ENV }, context) => {
  if (MESSENGER_UPDATES !== 'polling' || NODE_ENV === 'development' || NODE_ENV === 'test') return;
  const message = 'polling is for development and test only: set WEBHOOK_BASE_URL to an https address';
  context.addIssue({ code: 'custom', path: ['MESSENGER_UPDATES'], message });
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
