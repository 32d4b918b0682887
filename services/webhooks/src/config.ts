import { addressRanges } from '@botyard/shared/config/address-ranges';
import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { webhookOrigin } from '@botyard/shared/config/platform-addresses';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';
import { adapterSettings, refusalsOf } from './platforms/registry.ts';

/** An empty key would make signatures predictable. */
const signingKey = /^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

const settings = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  ...adapterSettings,
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

export const webhooksConfig = settings.superRefine((config, context) => {
  for (const { setting, message } of refusalsOf({ ...config, environment: config.NODE_ENV }))
    context.addIssue({ code: 'custom', path: [setting], message });
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
