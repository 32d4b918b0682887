import { randomBytes } from 'node:crypto';
import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { asksForUpdates } from '@botyard/shared/config/asks-for-updates';
import { readConfig } from '@botyard/shared/config/config';
import { expect, test } from 'vitest';
import { webhooksConfig } from '../src/config.ts';

const { verifyKey } = await generateIdentityKeys();
const read = (extra: Record<string, string>) =>
  readConfig(webhooksConfig, {
    NODE_ENV: 'development',
    NATS_URL: 'nats://127.0.0.1:4222',
    DATABASE_URL: 'postgres://webhooks@127.0.0.1/botyard',
    IDENTITY_VERIFY_KEY: verifyKey,
    SECRETS_KEYS: `k:${randomBytes(32).toString('base64url')}`,
    ...extra,
  });
const real = { MESSENGER_API_URL: 'https://api.telegram.org' };
const sandbox = { MESSENGER_API_URL: 'http://127.0.0.1:3002/messenger' };
const reachable = { WEBHOOK_BASE_URL: 'https://bots.example.com' };

test.each([
  ['the real platform can not reach this machine', true, real],
  [
    'its address is https, and still of this machine',
    true,
    { ...real, WEBHOOK_BASE_URL: 'https://localhost' },
  ],
  ['its address is a name without https', true, { ...real, WEBHOOK_BASE_URL: 'http://bots.example.com' }],
  ['the real platform can reach it', false, { ...real, ...reachable }],
  ['it is the sandbox', false, sandbox],
  ['it is the sandbox, and polling is set', true, { ...sandbox, MESSENGER_UPDATES: 'polling' }],
  ['webhooks are set', false, { ...real, MESSENGER_UPDATES: 'webhook' }],
  ['it is production', false, { ...real, NODE_ENV: 'production' }],
  ['it is staging', false, { ...real, NODE_ENV: 'staging' }],
  ['it is a test', false, { ...real, NODE_ENV: 'test' }],
])('the messenger is asked for updates where it has to be: %s', (_where, isAsked, env) => {
  expect(asksForUpdates(read(env))).toBe(isAsked);
});

test.each(['production', 'staging'])('polling is refused in %s, by the name of the setting', (NODE_ENV) => {
  const start = () => read({ MESSENGER_UPDATES: 'polling', NODE_ENV, ...reachable });
  expect(start).toThrow(
    /^invalid settings: MESSENGER_UPDATES: polling is for development and test only[^\n]*$/,
  );
});
