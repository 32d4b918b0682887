import { Resolver } from 'node:dns';
import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { webhookOrigin } from '@botyard/shared/config/platform-addresses';
import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { optionalFor, shown } from '@botyard/shared/config/shown';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { mailerDomainSetting } from '@botyard/shared/mail/settings';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** The platform's widget redirects people over https. Only the local machine may use http. */
function isOriginOfApp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && localHosts.has(hostname)));
}
const localHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim().replace(/\/$/, '')))
  .refine((list) => list.every(isOriginOfApp), {
    message: 'must be origins such as https://app.example.com, comma separated',
    abort: true,
  })
  // Without https the cookie lacks `__Host-`, and a neighbouring host could set it.
  .refine(
    (list) => new Set(list.map((origin) => new URL(origin).protocol)).size === 1,
    'must be all of https, or all on this machine',
  );

const dnsServers = shown(
  z
    .string()
    .transform((list) => list.split(',').map((server) => server.trim()))
    .refine(areServers, 'must be addresses of name servers, with or without ports, comma separated'),
);

function areServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

const settings = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  /**
   * The login that reads the catalogue of all schemas. Without it `/api/database` is 503, except for its health check.
   */
  DATABASE_READER_URL: postgresUrl.optional(),
  ...objectStoreSettings,
  MAILER_DOMAIN: mailerDomainSetting,
  /** Prefix of the addresses that platforms post to. */
  WEBHOOK_BASE_URL: webhookOrigin.default('http://localhost:3001'),
  /** The console's address for browsers; by default the one that platforms call. */
  PUBLIC_BASE_URL: httpAddress.optional(),
  /** Name servers for the records of tenants' mail domains; by default the system's. */
  DNS_SERVERS: dnsServers.default([]),
  /** Limit on the tenants that a person may create. Tenants of their organizations count, but are never refused. */
  MAX_TENANTS_PER_PERSON: ceiling(100),
  MAX_BOTS_PER_TENANT: ceiling(1000),
  /** Relationships and memberships together. */
  MAX_EDGES_PER_TENANT: ceiling(20_000),
  /** Groups that relationships refer to. */
  MAX_GROUPS_PER_TENANT: ceiling(1000),
  IDP_API_URL: httpAddress.default('https://api.clerk.com/v1'),
  IDP_SECRET_KEY: optionalFor(
    secretSetting,
    'people and organizations are known only once they have signed in',
  ),
  /** Interval at which all people and organizations are compared with the identity provider. Needs IDP_SECRET_KEY. */
  IDP_RECONCILE_EVERY_MS: z.coerce.number().int().min(100).max(604_800_000).default(3_600_000),
  /** The login widget's bot. Without it signing in through the messenger is disabled. */
  MESSENGER_LOGIN_BOT_TOKEN: optionalFor(secretSetting, 'signing in through the messenger is disabled'),
  /** The app's origins; the widget redirects only to these. */
  MESSENGER_LOGIN_ORIGINS: shown(origins).optional(),
});

export const tenancyConfig = settings.superRefine((config, context) => {
  if (config.MESSENGER_LOGIN_BOT_TOKEN && !config.MESSENGER_LOGIN_ORIGINS) {
    const message = 'is required with MESSENGER_LOGIN_BOT_TOKEN';
    context.addIssue({ code: 'custom', path: ['MESSENGER_LOGIN_ORIGINS'], message });
  }
});

export type TenancyConfig = z.output<typeof tenancyConfig>;
