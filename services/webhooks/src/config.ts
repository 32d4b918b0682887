import { addressRanges } from '@botyard/shared/config/address-ranges';
import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig, httpAddress, httpAddressWithout } from '@botyard/shared/config/config';
import { messengerAddress, webhookOrigin } from '@botyard/shared/config/platform-addresses';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { mailerDomainSetting } from '@botyard/shared/mail/settings';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** An empty key would make signatures predictable. */
const signingKey = /^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

const messagesPerDay = z.coerce.number().int().min(0).max(1_000_000_000);

const settings = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: messengerAddress.default('https://api.telegram.org'),
  /**
   * How the messenger's updates arrive. With `polling`, a developer's bot needs no https address. It is the default
   * only in development, where the real platform could not reach `WEBHOOK_BASE_URL`.
   */
  MESSENGER_UPDATES: z.enum(['webhook', 'polling']).optional(),
  MAILER_API_URL: httpAddressWithout(/\/v[34](?:\/.*)?$/).default('https://api.mailgun.net'),
  /** The installation's account at the mailer. Without it, mails of tenants that have no account of their own wait. */
  MAILER_API_KEY: optionalFor(
    secretSetting,
    'mails of tenants without an account of their own wait and are not sent',
  ),
  /** The account's sender domain. Without it, it sends only for domains that tenants have proven. */
  MAILER_DOMAIN: mailerDomainSetting,
  /** Daily limit of mails from this account, for each tenant; a day begins with its first mail. */
  MAILER_MESSAGES_PER_DAY: messagesPerDay.default(500),
  /** The same for each bot. If unset, the limit of its tenant applies. */
  MAILER_MESSAGES_PER_DAY_OF_BOT: messagesPerDay.optional(),
  /** Limit on the stored bytes of each tenant's mails, their files and originals, and files of its chats. */
  TENANT_MAIL_BYTES: ceiling(2 * 1024 ** 3),
  /**
   * Days after which original mails, and the bytes of their files and of files of chats, are removed; the text stays.
   */
  MAIL_RETENTION_DAYS: ceiling(null).refine((days) => days === null || (days >= 1 && days <= 36_500), {
    message: 'must be from 1 to 36500, or unlimited',
  }),
  WEBHOOK_BASE_URL: webhookOrigin.default('http://localhost:3001'),
  /** The gateway's address for browsers; by default the one for platforms. */
  PUBLIC_BASE_URL: httpAddress.optional(),
  /** Interval between checks of each integration's webhook at the platform; a fifth sooner or later. */
  WEBHOOK_CHECK_EVERY_MS: z.coerce.number().int().min(1000).max(604_800_000).default(900_000),
  /**
   * The gateway's setting. It is only used to report a missing balancer when all deliveries seem to come from one
   * address.
   */
  TRUSTED_PROXIES: shown(addressRanges),
  WEBHOOK_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** The signing secret of the identity provider's webhook, as shown in its dashboard. */
  IDP_WEBHOOK_SECRET: optionalFor(
    secretSetting.refine((secret) => signingKey.test(secret.reveal()), 'must be whsec_ and base64'),
    'deliveries of the identity provider are refused with 500',
  ),
  ...objectStoreSettings,
  DATA_DIR: shown(z.string().optional()),
  /** Folder for files while a mail is examined; by default in DATA_DIR, else the system's temporary folder. */
  MAIL_SPOOL_DIR: shown(z.string().optional()),
  /** Connections reserved for admission, so that no other work can delay a delivery. */
  ADMISSION_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
});

export const webhooksConfig = settings.superRefine(({ MESSENGER_UPDATES, NODE_ENV }, context) => {
  if (MESSENGER_UPDATES !== 'polling' || NODE_ENV === 'development' || NODE_ENV === 'test') return;
  const message = 'polling is for development and test only: set WEBHOOK_BASE_URL to an https address';
  context.addIssue({ code: 'custom', path: ['MESSENGER_UPDATES'], message });
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
