import { randomBytes } from 'node:crypto';
import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { readConfig } from '@botyard/shared/config/config';
import { describe, expect, test } from 'vitest';
import { tenancyConfig } from '../src/config.ts';

const { verifyKey } = await generateIdentityKeys();
const read = (extra: Record<string, string>) =>
  readConfig(tenancyConfig, {
    NODE_ENV: 'test',
    NATS_URL: 'nats://127.0.0.1:4222',
    DATABASE_URL: 'postgres://tenancy@127.0.0.1/botyard',
    IDENTITY_VERIFY_KEY: verifyKey,
    SECRETS_KEYS: `k:${randomBytes(32).toString('base64url')}`,
    ...extra,
  });
const origins = (MESSENGER_LOGIN_ORIGINS: string) =>
  read({ MESSENGER_LOGIN_ORIGINS }).MESSENGER_LOGIN_ORIGINS;

describe('signing in through the messenger', () => {
  test('is off without a login bot, with any other settings', () => {
    expect(read({}).MESSENGER_LOGIN_BOT_TOKEN).toBeUndefined();
    expect(origins('https://app.example.com')).toEqual(['https://app.example.com']);
  });

  test('needs the addresses of the app, and reports it without the token', () => {
    const start = () => read({ MESSENGER_LOGIN_BOT_TOKEN: '7123456789:canary' });
    expect(start).toThrow(/^invalid settings: MESSENGER_LOGIN_ORIGINS: [^\n]*$/);
    expect(start).not.toThrow(/canary/);
  });

  test('happens at origins: https, or this machine', () => {
    expect(origins('https://app.example.com/, https://admin.example.com:8443')).toEqual([
      'https://app.example.com',
      'https://admin.example.com:8443',
    ]);
    expect(origins('http://localhost:3001,http://[::1]:3001')).toHaveLength(2);
  });

  test.each([
    'http://app.example.com',
    'https://app.example.com/inbox',
    'https://me@app.example.com',
    'https://APP.example.com',
    'ftp://localhost',
    'app.example.com',
    '*',
    'https://app.example.com,,',
    // A cookie that plain http may set gives no access to https pages.
    'https://app.example.com,http://localhost:3001',
  ])('"%s" ends the start', (list) => {
    expect(() => origins(list)).toThrow(/MESSENGER_LOGIN_ORIGINS/);
  });
});
