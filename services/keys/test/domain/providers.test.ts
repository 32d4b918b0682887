import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { readConfig } from '@botyard/shared/config/config';
import { expect, test } from 'vitest';
import { keysConfig } from '../../src/config.ts';
import { providersOf } from '../../src/domain/providers.ts';

const { verifyKey } = await generateIdentityKeys();

function providers(env: Record<string, string> = {}) {
  const needed = {
    NATS_URL: 'nats://127.0.0.1:4222',
    DATABASE_URL: 'postgres://127.0.0.1/botyard',
    IDENTITY_VERIFY_KEY: verifyKey,
    SECRETS_KEYS: `k:${'A'.repeat(43)}`,
  };
  return providersOf(readConfig(keysConfig, { ...needed, ...env }));
}

test('by default keys go to the public providers, and the platform has none', () => {
  expect(providers()).toMatchObject({
    openai: { host: 'api.openai.com', platform: null },
    anthropic: { host: 'api.anthropic.com', platform: null },
    'private-llm': { host: null, platform: null },
  });
});

test('another port is another host', () => {
  expect(providers({ OPENAI_BASE_URL: 'http://127.0.0.1:4001/v1' }).openai.host).toBe('127.0.0.1:4001');
});

test('a broken address ends the start with a message that names the variable and not its content', () => {
  expect(() => providers({ PRIVATE_LLM_BASE_URL: 'ftp://secret-host' })).toThrow(
    /^invalid settings: PRIVATE_LLM_BASE_URL: must be an address that begins with http:\/\/ or https:\/\/$/,
  );
});
