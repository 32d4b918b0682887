import { resolve } from 'node:path';
import { asksForUpdates } from '@botyard/shared/config/asks-for-updates';
import {
  baseConfig,
  exactlyTrue,
  flag,
  httpAddress,
  natsServers,
  port,
  readConfig,
} from '@botyard/shared/config/config';
import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { z } from 'zod';
import { fakeNames, mapFakeSettings, mapFakes } from './fakes.ts';

const sealingKey = /^[\w-]{1,64}:[A-Za-z0-9_-]{43}$/;

export const LauncherConfig = z
  .object({
    NODE_ENV: z.enum(['development', 'test', 'staging', 'production']).default('development'),
    PORT: port.default(3001),
    AUTH_DEV_MODE: flag.optional(),
    CONSOLE_BUILD: flag.optional(),
    DATA_DIR: z.string().default('.data'),
    DATABASE_URL: postgresUrl.optional(),
    NATS_URL: natsServers.optional(),
    NATS_NAMESPACE: baseConfig.shape.NATS_NAMESPACE,
    OBJECT_STORE_MAX_MEGABYTES: z.coerce.number().int().min(1).default(4096),
    WEBHOOK_BASE_URL: httpAddress.optional(),
    ...mapFakeSettings(httpAddress.optional()),
    MESSENGER_UPDATES: z.enum(['webhook', 'polling']).optional(),
    IDP_ISSUER: httpAddress.optional(),
    IDP_API_URL: httpAddress.optional(),
    PRIVATE_LLM_BASE_URL: httpAddress.optional(),
    TOOL_INTEGRATIONS_API_URL: httpAddress.optional(),
    TOOL_INTEGRATIONS_ENABLED: exactlyTrue,
    SECRETS_KEYS: z
      .string()
      .refine((list) => list.split(',').every((entry) => sealingKey.test(entry.trim())), {
        error: 'must be kid:base64url(32 bytes), several separated by commas',
      })
      .optional(),
    IDENTITY_SIGNING_KEY: z.string().optional(),
    IDENTITY_VERIFY_KEY: z.string().optional(),
  })
  .superRefine((env, context) => {
    if (env.AUTH_DEV_MODE && !isForDevelopers(env.NODE_ENV)) {
      context.addIssue({
        code: 'custom',
        path: ['AUTH_DEV_MODE'],
        message: 'true is honoured in development and test only',
      });
    }
    if ((env.IDENTITY_SIGNING_KEY === undefined) !== (env.IDENTITY_VERIFY_KEY === undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['IDENTITY_SIGNING_KEY'],
        message: 'and IDENTITY_VERIFY_KEY are set together or not at all',
      });
    }
  });

/** The fakes of platforms, and the sandbox's other services. */
const sandboxPlatforms = [...fakeNames, 'idp', 'model', 'tools'] as const;
export type SandboxPlatform = (typeof sandboxPlatforms)[number];

export interface LauncherSettings {
  mode: 'development' | 'test' | 'staging' | 'production';
  /** True if requests from this machine without a token are treated as the synthetic admin's. */
  isAuthOff: boolean;
  /** True to rebuild the console if its sources have changed. */
  buildsConsole: boolean;
  /** True if the environment names the issuer of session tokens. */
  hasIdentityProvider: boolean;
  /** The gateway's listen address. Port 0 selects a free port. */
  host: '127.0.0.1' | '0.0.0.0';
  port: number;
  dataDir: string;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  natsNamespace: string;
  /** Limit of the object store on the bus. */
  filesMaxBytes: number;
  webhookBaseUrl: string | undefined;
  /** The address of the real messenger if its updates are polled, because it can't reach us. */
  polledMessenger: string | undefined;
  secretsKeys: string | undefined;
  identity: { signingKey: string; verifyKey: string } | undefined;
  /** The platforms without a real address. Empty outside development. */
  sandbox: readonly SandboxPlatform[];
  /** True to run an MCP server beside the sandbox, for trials. */
  runsToolServer: boolean;
}

/** @throws ConfigError with one line that names the variables without their values. */
export function readLauncherSettings(env: Readonly<Record<string, string | undefined>>): LauncherSettings {
  const config = readConfig(LauncherConfig, env);
  const isLocal = isForDevelopers(config.NODE_ENV);
  const { IDENTITY_SIGNING_KEY: signingKey, IDENTITY_VERIFY_KEY: verifyKey } = config;
  const realAddress: Record<SandboxPlatform, string | undefined> = {
    ...mapFakes(({ setting }) => config[setting]),
    idp: config.IDP_ISSUER ?? config.IDP_API_URL,
    model: config.PRIVATE_LLM_BASE_URL,
    tools: config.TOOL_INTEGRATIONS_API_URL,
  };
  return {
    mode: config.NODE_ENV,
    isAuthOff: config.AUTH_DEV_MODE ?? (isLocal && config.IDP_ISSUER === undefined),
    buildsConsole: config.CONSOLE_BUILD ?? config.NODE_ENV !== 'test',
    hasIdentityProvider: config.IDP_ISSUER !== undefined,
    host: isLocal ? '127.0.0.1' : '0.0.0.0',
    port: config.PORT,
    dataDir: resolve(config.DATA_DIR),
    databaseUrl: config.DATABASE_URL,
    natsUrl: config.NATS_URL,
    natsNamespace: config.NATS_NAMESPACE,
    filesMaxBytes: config.OBJECT_STORE_MAX_MEGABYTES * 1024 * 1024,
    webhookBaseUrl: config.WEBHOOK_BASE_URL,
    polledMessenger: polledMessenger(config),
    secretsKeys: config.SECRETS_KEYS,
    identity: signingKey && verifyKey ? { signingKey, verifyKey } : undefined,
    sandbox:
      config.NODE_ENV === 'development'
        ? sandboxPlatforms.filter((name) => realAddress[name] === undefined)
        : [],
    runsToolServer: config.NODE_ENV === 'development' && config.TOOL_INTEGRATIONS_ENABLED,
  };
}

function polledMessenger({
  MESSENGER_API_URL,
  WEBHOOK_BASE_URL = 'http://localhost',
  ...config
}: z.output<typeof LauncherConfig>): string | undefined {
  if (!MESSENGER_API_URL) return undefined;
  return asksForUpdates({ ...config, MESSENGER_API_URL, WEBHOOK_BASE_URL }) ? MESSENGER_API_URL : undefined;
}

function isForDevelopers(mode: string): boolean {
  return mode === 'development' || mode === 'test';
}
