import { isIP } from 'node:net';
import { z } from 'zod';
import { normalAddress } from './addresses.ts';
import { allowedValues } from './allowed-values.ts';
import { misspeltSettings } from './misspelt.ts';
import { postgresUrl } from './postgres-url.ts';
import { optionalFor, shown, shownAddress } from './shown.ts';

/** Thrown when settings are missing or broken. The message names the variables and never shows their content. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings once, at start-up. All faults are reported together. An empty variable counts as unset, because
 * shells and compose files set empty ones.
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<Schema>> {
  const result = parse(schema, env);
  if (result.success) return Object.freeze(result.data);
  const faults = [...toFaults(result.error), ...misspeltSettings(schema, env)];
  throw new ConfigError(`invalid settings: ${faults.join('; ')}`);
}

/** The faults that `readConfig` would report, each as `NAME: fault`. */
export function faultsOfConfig(
  schema: z.ZodType,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const result = parse(schema, env);
  return result.success ? [] : toFaults(result.error);
}

function parse<Schema extends z.ZodType>(schema: Schema, env: Readonly<Record<string, string | undefined>>) {
  const nonEmpty = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  return schema.safeParse(nonEmpty, { error: (issue) => messageWithoutContent(issue, schema) });
}

const toFaults = ({ issues }: z.ZodError): string[] =>
  issues.map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`);

function messageWithoutContent(issue: z.core.$ZodRawIssue, schema: z.ZodType): string | undefined {
  if (issue.input === undefined) return 'is required';
  return issue.code === 'custom' ? undefined : allowedValues(issue, schema);
}

export const port = z.coerce.number().int().min(0).max(65535);
/** On by exactly `true`; any other text leaves it off. */
export const exactlyTrue = z
  .string()
  .optional()
  .transform((text) => text === 'true');
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
/** In one spelling: without spaces around it, a trailing slash or a default port, and with the host in lower case. */
export const httpAddress = shownAddress(
  z
    .string()
    .trim()
    .pipe(z.url({ protocol: /^https?$/ }))
    .transform(normalAddress),
);

/** An address without endings that don't belong to it, such as the path of a single call. */
export const httpAddressWithout = (ending: RegExp) =>
  shownAddress(httpAddress.transform((address) => normalAddress(address.replace(ending, ''))));

/** One server, or several of a cluster, separated by commas. */
export const natsServers = shownAddress(
  z
    .string()
    .refine((list) => list.split(',').every((server) => URL.canParse(server.trim())), {
      error: 'must be addresses, separated by commas',
    })
    .refine((list) => !list.split(',').some(isTlsByNumber), {
      error: 'tls:// needs a name: a certificate is not checked against an IP address',
    }),
);

/** The driver compares certificates with host names only, not with IP addresses. */
function isTlsByNumber(server: string): boolean {
  if (!/^\s*tls:/i.test(server) || !URL.canParse(server.trim())) return false;
  return isIP(new URL(server.trim()).hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** Settings of every service. `NODE_ENV` unset counts as production (REQ-CONF-1). */
export const baseConfig = z.object({
  NODE_ENV: z.enum(['development', 'test', 'staging', 'production']).default('production'),
  SERVICE_HOST: shown(z.string().default('127.0.0.1')),
  SERVICE_PORT: port.default(0),
  /** How long a process still accepts requests after its stop signal, while its readiness is negative. */
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().min(0).max(20).default(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  NATS_URL: natsServers,
  /** Trusted authorities for NATS's certificate. If set, connections are encrypted or refused. */
  NATS_CA_FILE: shown(z.string().optional()),
  /** Number of replicas of each stream. Data survives the loss of any minority of them. */
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  NATS_USER: shown(z.string().optional()),
  NATS_PASSWORD: z.string().optional(),
  NATS_NAMESPACE: shown(
    z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/)
      .default('botyard'),
  ),
  FAILPOINTS: shown(z.string().optional()),
  FAILPOINTS_DIR: shown(z.string().optional()),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalFor(
    httpAddressWithout(/\/v1\/(?:traces|logs|metrics)$/),
    'no traces are sent, and /api/otel is 503',
  ),
  /** Share of the traces that start here that are sent: 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** The commit of this build, for `GET /api/system/info`. */
  BUILD_REVISION: shown(
    z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .optional(),
  ),
});

/** Settings of services that store data and receive requests from the gateway. */
export const domainConfig = baseConfig.extend({
  DATABASE_URL: postgresUrl,
  DATABASE_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(500).default(8),
  DATABASE_ACQUIRE_TIMEOUT_MS: z.coerce.number().int().min(50).max(60_000).default(1900),
  IDENTITY_VERIFY_KEY: z.string().refine(isVerifyKey, 'must be a public Ed25519 JWK as base64url'),
});

export type BaseConfig = z.output<typeof baseConfig>;
/** Settings of the process itself. The gateway has these, and may run without a bus. */
export type ProcessConfig = Omit<BaseConfig, 'NATS_URL'> & { NATS_URL?: string | undefined };
export type DomainConfig = z.output<typeof domainConfig>;

/** Services get only the public key: a holder of the private key could impersonate anybody. */
function isVerifyKey(setting: string): boolean {
  try {
    const jwk = JSON.parse(Buffer.from(setting, 'base64url').toString('utf8')) as Record<string, unknown>;
    return jwk.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.x === 'string' && !('d' in jwk);
  } catch {
    return false;
  }
}
