import { expect, test } from 'vitest';
import { z } from 'zod';
import { domainConfig, faultsOfConfig, flag, httpAddress, readConfig } from '../../src/config/config.ts';
import { misspeltSettings } from '../../src/config/misspelt.ts';

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('production'),
  AUTH_DEV_MODE: flag.default(false),
  SERVICE_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  SAMPLER_RATIO: z.coerce.number().min(0).max(1).optional(),
  OPENAI_BASE_URL: httpAddress.optional(),
  OPENAI_API_KEY: z.string().optional(),
  NATS_NAMESPACE: z
    .string()
    .regex(/^[a-z]{1,64}$/)
    .optional(),
  PORT: z.coerce.number().default(3001),
  HOST: z.string().default('127.0.0.1'),
});

test.each([
  ['NODE_ENV', 'prod', 'must be development or production'],
  ['AUTH_DEV_MODE', 'yes', 'must be true or false'],
  ['SERVICE_PORT', '70000', 'must be a whole number from 0 to 65535'],
  ['SERVICE_PORT', 'http', 'must be a whole number from 0 to 65535'],
  ['SERVICE_PORT', '1.5', 'must be a whole number from 0 to 65535'],
  ['SAMPLER_RATIO', '2', 'must be a number from 0 to 1'],
  ['OPENAI_BASE_URL', 'api.openai.com', 'must be an address that begins with http:// or https://'],
  ['OPENAI_BASE_URL', 'ftp://secret@x', 'must be an address that begins with http:// or https://'],
  ['NATS_NAMESPACE', 'a b', 'must match /^[a-z]{1,64}$/'],
])('%s=%s is reported with the allowed values, and the value is not shown', (name, value, fault) => {
  expect(faultsOfConfig(schema, { [name]: value })).toEqual([`${name}: ${fault}`]);
});

test('a misspelt setting is named with the one that was meant', () => {
  expect(
    misspeltSettings(schema, { OPENAI_APIKEY: 'sk-secret', OPEN_AI_BASE_URL: 'x', NOD_ENV: 'x' }),
  ).toEqual([
    'OPENAI_APIKEY is not a setting: did you mean OPENAI_API_KEY?',
    'OPEN_AI_BASE_URL is not a setting: did you mean OPENAI_BASE_URL?',
  ]);
});

test('it is not when the right one is set, too', () => {
  expect(misspeltSettings(schema, { OPENAI_APIKEY: 'a', OPENAI_API_KEY: 'b' })).toEqual([]);
});

test("variables of the system, of npm and of Kubernetes don't count as settings", () => {
  const env = [
    ...[
      'PATH',
      'HOME',
      'HOSTNAME',
      'SHELL',
      'PWD',
      'OLDPWD',
      'LANG',
      'LC_ALL',
      'TERM',
      'USER',
      'LOGNAME',
      'TZ',
    ],
    ...['npm_config_loglevel', 'npm_package_name', 'NODE_OPTIONS', 'NODE_PATH', 'INIT_CWD', 'SSH_AUTH_SOCK'],
    ...[
      'KUBERNETES_SERVICE_HOST',
      'KUBERNETES_SERVICE_PORT',
      'KEYS_SERVICE_HOST',
      'KEYS_SERVICE_PORT',
      'KEYS_PORT',
    ],
    ...[
      'NATS_SERVICE_HOST',
      'NATS_PORT_4222_TCP_ADDR',
      'POSTGRES_PASSWORD',
      'OTEL_TRACES_SAMPLER',
      'http_proxy',
    ],
  ];
  const set = Object.fromEntries(env.map((name) => [name, 'x']));
  expect(misspeltSettings(schema, set)).toEqual([]);
  expect(misspeltSettings(domainConfig, set)).toEqual([]);
});

test('a start that fails for want of a setting names the misspelt one', () => {
  const needed = z.object({ DATABASE_URL: z.string() });
  expect(() => readConfig(needed, { DATABASE_ULR: 'postgres://u:secret@host/db' })).toThrow(
    /^invalid settings: DATABASE_URL: is required; DATABASE_ULR is not a setting: did you mean DATABASE_URL\?$/,
  );
});
