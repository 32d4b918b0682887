import { expect, test } from 'vitest';
import { agentsConfig } from '../../../services/agents/src/config.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';
import { keysConfig } from '../../../services/keys/src/config.ts';
import { tenancyConfig } from '../../../services/tenancy/src/config.ts';
import { usageConfig } from '../../../services/usage/src/config.ts';
import { webhooksConfig } from '../../../services/webhooks/src/config.ts';
import { serviceEnv, sharedEnv, type Wiring } from '../settings/service-env.ts';
import { serviceNames } from '../settings/services.ts';
import { readLauncherSettings } from '../settings/settings.ts';

const platformKeys = {
  OPENAI_API_KEY: 'sk-openai-canary',
  ANTHROPIC_API_KEY: 'sk-anthropic-canary',
  PRIVATE_LLM_API_KEY: 'llm-canary',
};
const env = {
  ...platformKeys,
  MAILER_API_KEY: 'mailer-canary',
  SECRETS_KEYS: `canary:${'A'.repeat(43)}`,
  MESSENGER_LOGIN_BOT_TOKEN: '7:login-canary',
  ANYTHING: 'else',
};

const wiring: Wiring = {
  env,
  settings: readLauncherSettings(env),
  secrets: {
    secretsKeys: '',
    identity: { signingKey: 'signing-canary', verifyKey: 'verify' },
    ownerPassword: 'owner-canary',
    postgres: Object.fromEntries(serviceNames.map((name) => [name, `postgres-of-${name}`])),
    nats: Object.fromEntries(serviceNames.map((name) => [name, `nats-of-${name}`])),
    demoBotToken: 'demo-canary',
  },
  gatewayPort: 3001,
  ports: { gateway: 1, tenancy: 2, keys: 3, usage: 4, webhooks: 5, agents: 6 },
  ownerUrl: 'postgres://owner:owner-canary@127.0.0.1/botyard',
  nats: { url: 'nats://127.0.0.1:4222', isOurs: true },
  sandboxUrl: undefined,
  toolServerUrl: undefined,
};

/** Services whose environment holds the text. */
const whoHas = (text: string): string[] =>
  serviceNames.filter((name) =>
    Object.values(serviceEnv(name, wiring)).some((value) => value?.includes(text)),
  );

test('S-01: a service is told its own secrets and no others', () => {
  for (const key of Object.values(platformKeys)) expect(whoHas(key)).toEqual(['keys']);
  expect(whoHas(env.MAILER_API_KEY)).toEqual(['webhooks']);
  expect(whoHas(env.SECRETS_KEYS)).toEqual(['tenancy', 'keys', 'webhooks']);
  expect(whoHas('canary:')).toEqual(['tenancy', 'keys', 'webhooks', 'agents']);
  expect(whoHas('login-canary')).toEqual(['tenancy']);
  expect(whoHas('signing-canary')).toEqual(['gateway']);
  expect(whoHas('owner-canary')).toEqual([]);
  expect(whoHas('demo-canary')).toEqual([]);
  for (const name of serviceNames) expect(whoHas(`nats-of-${name}`)).toEqual([name]);
});

/** The gateway's and the settings of the domain services, by whose they are. */
const schemas = {
  gateway: gatewayConfig,
  tenancy: tenancyConfig,
  keys: keysConfig,
  usage: usageConfig,
  webhooks: webhooksConfig,
  agents: agentsConfig,
};

test('S-01: a setting whose name says secret goes to those who read it, and to nobody else', () => {
  const names = [...new Set(Object.values(schemas).flatMap(({ shape }) => Object.keys(shape)))];
  const secrets = names.filter(
    (name) => /KEY|SECRET|TOKEN|PASSWORD/.test(name) && !/_(URL|MONTHLY_TOKENS|ACCESS_TOKENS)$/.test(name),
  );
  expect(secrets.length).toBeGreaterThan(10);
  const planted = Object.fromEntries(secrets.map((name) => [name, `canary of ${name}.`]));
  const faults = serviceNames.flatMap((service) => {
    const passed = JSON.stringify(serviceEnv(service, { ...wiring, env: planted }));
    return secrets
      .filter((name) => passed.includes(planted[name]!) && !(name in schemas[service].shape))
      .map((name) => `${service} is told ${name}`);
  });
  expect(faults).toEqual([]);
});

test('what else is in the environment goes to everybody, the sandbox included, which gets no secret', () => {
  expect(whoHas('else')).toEqual([...serviceNames]);
  expect(sharedEnv(env)).toEqual({ ANYTHING: 'else' });
});

test('the gateway takes session tokens of the sandbox beside development mode, and of nobody else once it is told whose', () => {
  const gatewayIn = (more: Record<string, string>) => {
    const there = { ...env, ...more };
    const settings = readLauncherSettings(there);
    const sandboxUrl = settings.sandbox.length > 0 ? 'http://127.0.0.1:3002' : undefined;
    return serviceEnv('gateway', { ...wiring, env: there, settings, sandboxUrl });
  };
  expect(gatewayIn({})).toMatchObject({ AUTH_DEV_MODE: 'true', IDP_ISSUER: 'http://127.0.0.1:3002/idp' });
  const real = { IDP_ISSUER: 'https://idp.example' };
  expect(gatewayIn(real)).toMatchObject({ AUTH_DEV_MODE: 'false', ...real });
  for (const more of [
    { IDP_API_URL: 'https://api.example' },
    { NODE_ENV: 'test' },
    { NODE_ENV: 'production' },
  ])
    expect(gatewayIn(more).IDP_ISSUER).toBeUndefined();
});

test('the app is where the gateway listens on this machine, and has to be named elsewhere', () => {
  const originsIn = (more: Record<string, string>) => {
    const there = { ...env, ...more };
    return serviceEnv('tenancy', { ...wiring, env: there, settings: readLauncherSettings(there) })
      .MESSENGER_LOGIN_ORIGINS;
  };
  expect(originsIn({})).toBe('http://localhost:3001');
  expect(originsIn({ NODE_ENV: 'production' })).toBeUndefined();
  expect(originsIn({ MESSENGER_LOGIN_ORIGINS: 'https://app.example.com' })).toBe('https://app.example.com');
});

test('the MCP server for trials is let through for agents only, beside the hosts of the operator', () => {
  const own = { ...wiring, toolServerUrl: 'http://127.0.0.1:3003/mcp' };
  expect(serviceEnv('agents', own).EGRESS_ALLOWED_HOSTS).toBe('127.0.0.1:3003');
  const set = { ...own, env: { ...env, EGRESS_ALLOWED_HOSTS: 'tools.example' } };
  expect(serviceEnv('agents', set).EGRESS_ALLOWED_HOSTS).toBe('tools.example,127.0.0.1:3003');
  expect(serviceEnv('tenancy', own).EGRESS_ALLOWED_HOSTS).toBeUndefined();
  expect(serviceEnv('agents', wiring).EGRESS_ALLOWED_HOSTS).toBeUndefined();
});
