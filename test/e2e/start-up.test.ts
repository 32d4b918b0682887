import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIdentityVerifier, generateIdentityKeys } from '@botyard/shared/auth/identity';
import { readConfig } from '@botyard/shared/config/config';
import { compileCache } from '@botyard/testing/service-process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { agentsConfig } from '../../services/agents/src/config.ts';
import { gatewayConfig } from '../../services/gateway/src/config.ts';
import { keysConfig } from '../../services/keys/src/config.ts';
import { tenancyConfig } from '../../services/tenancy/src/config.ts';
import { usageConfig } from '../../services/usage/src/config.ts';
import { webhooksConfig } from '../../services/webhooks/src/config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modes = ['development', 'test', 'staging', 'production'] as const;
const schemas: Readonly<Record<string, z.ZodObject>> = {
  gateway: gatewayConfig,
  tenancy: tenancyConfig,
  keys: keysConfig,
  usage: usageConfig,
  webhooks: webhooksConfig,
  agents: agentsConfig,
};
const names = Object.keys(schemas);
const domainNames = names.filter((name) => name !== 'gateway');

/** Starts that were refused because a setting was missing or empty. */
let refused = 0;

let identity: Awaited<ReturnType<typeof generateIdentityKeys>>;
beforeAll(async () => {
  identity = await generateIdentityKeys();
});

const addresses = { TENANCY_URL: '', KEYS_URL: '', USAGE_URL: '', WEBHOOKS_URL: '', AGENTS_URL: '' };

/** Only the settings that a service requires. No server listens at the addresses. */
function needed(service: string): Record<string, string> {
  if (service === 'gateway')
    return {
      ...Object.fromEntries(Object.keys(addresses).map((name) => [name, 'http://127.0.0.1:9'])),
      IDENTITY_SIGNING_KEY: identity.signingKey,
    };
  return {
    NATS_URL: 'nats://127.0.0.1:9',
    DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:9/none',
    IDENTITY_VERIFY_KEY: identity.verifyKey,
    ...('SECRETS_KEYS' in schemas[service]!.shape ? { SECRETS_KEYS: `k:${'A'.repeat(43)}` } : {}),
  };
}

const faultOf = (service: string, env: Record<string, string>): string => {
  try {
    readConfig(schemas[service]!, env);
    return 'starts';
  } catch (error) {
    return (error as Error).message;
  }
};

/** The outcome of a service's process with only these settings. */
async function startProcess(service: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, 'services', service, 'src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...compileCache, SERVICE_PORT: '0', PORT: '0', ...env },
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

afterAll(() => {
  process.stdout.write(`G-13: ${refused} starts without a setting, in ${modes.length} modes, all refused\n`);
});

describe('G-13: the matrix of modes and missing settings', () => {
  const cells = names.flatMap((service) => modes.map((NODE_ENV) => [service, NODE_ENV] as const));

  test.each(cells)(
    '%s in %s starts with its required settings, and without any of them does not',
    (service, NODE_ENV) => {
      const env = { NODE_ENV, ...needed(service) };
      expect(faultOf(service, env)).toBe('starts');
      for (const name of Object.keys(needed(service))) {
        for (const without of [{ ...env, [name]: '' }, omit(env, name)])
          expect(faultOf(service, without)).toBe(`invalid settings: ${name}: is required`);
        refused += 2;
      }
    },
  );

  test.each(names)('%s without NODE_ENV is in production, and with an unknown one ends', (service) => {
    expect(readConfig(schemas[service]!, needed(service))).toMatchObject({ NODE_ENV: 'production' });
    for (const NODE_ENV of ['prod', 'PRODUCTION', ' production', 'true'])
      expect(faultOf(service, { ...needed(service), NODE_ENV })).toMatch(/^invalid settings: NODE_ENV: /);
  });

  test('development mode is honoured in development and test, and ends the start elsewhere', () => {
    const outcomes = [...modes, ''].map((NODE_ENV) => {
      const env = { ...needed('gateway'), NODE_ENV, AUTH_DEV_MODE: 'true' };
      return [NODE_ENV, faultOf('gateway', env).replace(/:.*/, '')];
    });
    expect(outcomes).toEqual([
      ['development', 'starts'],
      ['test', 'starts'],
      ['staging', 'invalid settings'],
      ['production', 'invalid settings'],
      ['', 'invalid settings'],
    ]);
  });

  test.each(domainNames)(
    '%s does not accept the key that signs identities, nor any other text as a key',
    (service) => {
      for (const key of [
        identity.signingKey,
        'hunter2-canary',
        'e30',
        Buffer.from('{"kty":"oct"}').toString('base64url'),
      ]) {
        const fault = faultOf(service, { ...needed(service), IDENTITY_VERIFY_KEY: key });
        expect(fault).toMatch(/^invalid settings: IDENTITY_VERIFY_KEY: [^\n]*$/);
        expect(fault).not.toContain(key);
      }
    },
  );

  test.each(domainNames.filter((name) => 'SECRETS_KEYS' in schemas[name]!.shape))(
    '%s seals with no key that is too short, twice there or none',
    (service) => {
      for (const keys of [
        'canary',
        'a:',
        `a:${'A'.repeat(42)}`,
        `a:${'A'.repeat(43)},a:${'B'.repeat(43)}`,
        ',',
      ]) {
        const fault = faultOf(service, { ...needed(service), SECRETS_KEYS: keys });
        expect(fault).toMatch(/^invalid settings: SECRETS_KEYS: [^\n]*$/);
        expect(fault).not.toContain('AAAA');
      }
    },
  );
});

function omit(env: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([one]) => one !== name));
}

describe('G-13: a process that may not start ends with 1 and one line', () => {
  test.each(names)('%s, without settings, names all that are required', async (service) => {
    const { code, out, err } = await startProcess(service, {});
    expect([code, out]).toEqual([1, '']);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toMatch(new RegExp(`^${service}: invalid settings: `));
    for (const name of Object.keys(needed(service))) expect(err).toContain(`${name}: is required`);
  });

  test.each([
    ['gateway', { AUTH_DEV_MODE: 'true' }, /^gateway: invalid settings: AUTH_DEV_MODE: [^\n]*\n$/],
    [
      'usage',
      { IDENTITY_VERIFY_KEY: 'hunter2-canary' },
      /^usage: invalid settings: IDENTITY_VERIFY_KEY: [^\n]*\n$/,
    ],
    ['keys', { SECRETS_KEYS: 'hunter2-canary' }, /^keys: invalid settings: SECRETS_KEYS: [^\n]*\n$/],
  ])('%s in production with %j', async (service, wrong, line) => {
    const { code, out, err } = await startProcess(service, { ...needed(service), ...wrong });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(line);
    expect(err).not.toContain('canary');
  });
});

test('the identity key that services accept is the one that the gateway creates', async () => {
  await expect(createIdentityVerifier(identity.verifyKey, 'keys')).resolves.toBeTypeOf('function');
});
