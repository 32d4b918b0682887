import { hkdfSync } from 'node:crypto';
import { publicProviders } from '@botyard/contracts/providers';
import { launcherSettingsName } from '@botyard/shared/system/process-contract';
import { type Fake, fakes, mailFake, mapFakes } from './fakes.ts';
import type { Secrets } from './secrets.ts';
import { domainServices, type ServiceName } from './services.ts';
import type { LauncherSettings, SandboxPlatform } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The inputs of the services' settings. */
export interface Wiring {
  env: Env;
  settings: LauncherSettings;
  secrets: Secrets;
  gatewayPort: number;
  ports: Readonly<Record<ServiceName, number>>;
  ownerUrl: string;
  /** `isOurs` is true for a server that we configure, where every service has its own user. */
  nats: { url: string; isOurs: boolean };
  sandboxUrl: string | undefined;
  /** The MCP server for trials. */
  toolServerUrl: string | undefined;
}

const objectStoreKeys = ['OBJECT_STORE_ACCESS_KEY_ID', 'OBJECT_STORE_SECRET_ACCESS_KEY'];
/** The secrets of the platforms' adapters. */
const adapterSecrets = Object.values<Fake>(fakes).flatMap(({ secrets = [] }) => secrets);
/**
 * Secrets for one service only. For example, only `keys` has the platform's keys of model providers, and hands them
 * over per call.
 */
const ownSecrets: Partial<Record<ServiceName, readonly string[]>> = {
  gateway: ['IDP_PUBLISHABLE_KEY'],
  tenancy: ['IDP_SECRET_KEY', 'MESSENGER_LOGIN_BOT_TOKEN', ...objectStoreKeys],
  keys: [...Object.values(publicProviders).map(({ keySetting }) => keySetting), 'PRIVATE_LLM_API_KEY'],
  agents: ['TOOL_INTEGRATIONS_API_KEY', ...objectStoreKeys],
  webhooks: ['IDP_WEBHOOK_SECRET', ...adapterSecrets, ...objectStoreKeys],
};

/** Variables that are not passed on unchanged: each service gets its own value or none. */
const withheld = new Set([
  'DATABASE_URL',
  'DATABASE_READER_URL',
  'IDENTITY_SIGNING_KEY',
  'IDENTITY_VERIFY_KEY',
  'SECRETS_KEYS',
  'PORT',
  'HOST',
  ...Object.values(ownSecrets).flat(),
]);
const sealers = new Set<ServiceName>(['tenancy', 'keys', 'webhooks']);

/**
 * `agents` reads what strangers write, so it gets keys derived for it alone: they open what it sealed itself, and
 * nothing of the services that share `SECRETS_KEYS`.
 */
function sealingEnv(service: ServiceName, secretsKeys: string): Record<string, string> {
  if (sealers.has(service)) return { SECRETS_KEYS: secretsKeys };
  return service === 'agents' ? { SECRETS_KEYS: derivedKeys(secretsKeys) } : {};
}

/** The same key ids with other keys. An entry without a key stays, for the service to report it. */
const derivedKeys = (secretsKeys: string): string =>
  secretsKeys
    .split(',')
    .map((entry) => {
      const [keyId, key] = entry.trim().split(':');
      if (!key) return entry;
      const derived = hkdfSync('sha256', Buffer.from(key, 'base64url'), '', 'botyard agents', 32);
      return `${keyId}:${Buffer.from(derived).toString('base64url')}`;
    })
    .join();

export function sharedEnv(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
}

/** Returns the environment of one service: the launcher's, with only the secrets that the service needs. */
export function serviceEnv(service: ServiceName, wiring: Wiring): Record<string, string | undefined> {
  const env = completeEnv(service, wiring);
  // Settings that the launcher added or changed. `GET /api/config` reports the source of each setting.
  const filled = Object.keys(env).filter((name) => env[name] && env[name] !== wiring.env[name]);
  return { ...env, [launcherSettingsName]: filled.join(',') };
}

function completeEnv(service: ServiceName, wiring: Wiring): Record<string, string | undefined> {
  const { settings, secrets } = wiring;
  return {
    ...sharedEnv(wiring.env),
    NODE_ENV: settings.mode,
    AUTH_DEV_MODE: String(settings.isAuthOff),
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: String(wiring.ports[service]),
    WEBHOOK_BASE_URL: settings.webhookBaseUrl ?? `http://localhost:${wiring.gatewayPort}`,
    DATA_DIR: settings.dataDir,
    ...natsEnv(service, wiring),
    ...Object.fromEntries((ownSecrets[service] ?? []).map((name) => [name, wiring.env[name]])),
    ...sandboxEnv(service, wiring),
    ...(service === 'gateway' ? gatewayEnv(wiring) : domainEnv(service, wiring)),
    ...sealingEnv(service, settings.secretsKeys ?? secrets.secretsKeys),
    ...(service === 'tenancy' ? { ...loginEnv(wiring), ...readerEnv(wiring) } : {}),
    ...(service === 'agents' ? toolServerEnv(wiring) : {}),
  };
}

/** Lets the agents' tools reach the MCP server for trials, which is on this machine. */
function toolServerEnv({ env, toolServerUrl }: Wiring): Record<string, string> {
  if (toolServerUrl === undefined) return {};
  const hosts = [env.EGRESS_ALLOWED_HOSTS, new URL(toolServerUrl).host].filter(Boolean);
  return { EGRESS_ALLOWED_HOSTS: hosts.join() };
}

/** The login page's origin defaults to the gateway's address. On this machine it needs no https. */
function loginEnv({ env, settings, gatewayPort }: Wiring): Record<string, string | undefined> {
  const local = settings.host === '127.0.0.1' ? `http://localhost:${gatewayPort}` : undefined;
  return {
    MESSENGER_LOGIN_ORIGINS: env.MESSENGER_LOGIN_ORIGINS || local,
  };
}

function gatewayEnv({ settings, secrets, gatewayPort, ports }: Wiring): Record<string, string> {
  const addresses = domainServices.map((name) => [
    `${name.toUpperCase()}_URL`,
    `http://127.0.0.1:${ports[name]}`,
  ]);
  return {
    ...Object.fromEntries(addresses),
    PORT: String(gatewayPort),
    HOST: settings.host,
    IDENTITY_SIGNING_KEY: (settings.identity ?? secrets.identity).signingKey,
  };
}

function domainEnv(service: ServiceName, { settings, secrets, ownerUrl }: Wiring): Record<string, string> {
  return {
    IDENTITY_VERIFY_KEY: (settings.identity ?? secrets.identity).verifyKey,
    DATABASE_URL: databaseUrl(ownerUrl, service, secrets.postgres[service] ?? ''),
  };
}

function readerEnv({ env, secrets, ownerUrl }: Wiring): Record<string, string> {
  const own = databaseUrl(ownerUrl, 'reader', secrets.postgres.reader ?? '');
  return { DATABASE_READER_URL: env.DATABASE_READER_URL || own };
}

/** Defined here, because the shared library's file would load the database libraries into the launcher. */
function databaseUrl(ownerUrl: string, service: ServiceName | 'reader', password: string): string {
  const url = new URL(ownerUrl);
  url.username = `botyard_${service}`;
  url.password = password;
  return url.toString();
}

function natsEnv(
  service: ServiceName,
  { nats, secrets, settings }: Wiring,
): Record<string, string | undefined> {
  const common = { NATS_URL: nats.url, NATS_NAMESPACE: settings.natsNamespace };
  return nats.isOurs ? { ...common, NATS_USER: service, NATS_PASSWORD: secrets.nats[service] } : common;
}

/** The sandbox serves TXT records over UDP on its own port. Name servers are configured by IP address. */
function sandboxDns(env: Env, sandboxUrl: string): Record<string, string> {
  const { hostname, port } = new URL(sandboxUrl);
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost';
  return isHere && !env.DNS_SERVERS ? { DNS_SERVERS: `127.0.0.1:${port}` } : {};
}

/**
 * The keys are the sandbox's defaults. The gateway accepts the sandbox's session tokens in addition to development
 * mode, which the environment alone determines, before this point.
 */
function sandboxEnv(service: ServiceName, { env, settings, sandboxUrl }: Wiring): Record<string, string> {
  if (sandboxUrl === undefined) return {};
  const addresses: Record<SandboxPlatform, Record<string, string>> = {
    ...mapFakes(({ setting, apiPath, app }: Fake, name) => ({
      [setting]: `${sandboxUrl}/${name}${apiPath}`,
      ...(service === 'webhooks' ? app : {}),
    })),
    [mailFake]: {
      [fakes[mailFake].setting]: `${sandboxUrl}/${mailFake}`,
      MAILER_DOMAIN: env.MAILER_DOMAIN || 'bots.sandbox.test',
      ...(service === 'tenancy' ? sandboxDns(env, sandboxUrl) : {}),
      ...(service === 'webhooks' ? { MAILER_API_KEY: env.MAILER_API_KEY || 'sandbox' } : {}),
    },
    idp: {
      IDP_API_URL: `${sandboxUrl}/idp/v1`,
      ...(service === 'tenancy' ? { IDP_SECRET_KEY: env.IDP_SECRET_KEY || 'sk_test_sandbox' } : {}),
      ...(service === 'gateway' ? { IDP_ISSUER: `${sandboxUrl}/idp`, SANDBOX_URL: sandboxUrl } : {}),
    },
    model: {
      PRIVATE_LLM_BASE_URL: `${sandboxUrl}/model/v1`,
      PRIVATE_LLM_MODEL: 'sandbox',
      PRIVATE_LLM_TRANSCRIPTION_MODEL: 'sandbox',
    },
    tools: {
      TOOL_INTEGRATIONS_API_URL: `${sandboxUrl}/tools/api/v3`,
      ...(service === 'agents'
        ? { TOOL_INTEGRATIONS_API_KEY: env.TOOL_INTEGRATIONS_API_KEY || 'sandbox' }
        : {}),
    },
  };
  return Object.assign({}, ...settings.sandbox.map((platform) => addresses[platform])) as Record<
    string,
    string
  >;
}
