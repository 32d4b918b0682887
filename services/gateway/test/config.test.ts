import { readConfig } from '@botyard/shared/config/config';
import { describe, expect, test } from 'vitest';
import { gatewayConfig, identityProviderOf } from '../src/config.ts';
import { settings, signingKeys } from './support/start-gateway.ts';

const read = (extra: Record<string, string>) => readConfig(gatewayConfig, settings(extra));

describe('G-13: development mode', () => {
  test.each(['development', 'test'])('is honoured when NODE_ENV is %s', (NODE_ENV) => {
    expect(read({ NODE_ENV, AUTH_DEV_MODE: 'true' }).AUTH_DEV_MODE).toBe(true);
  });
  test.each(['production', 'staging', '', 'Development'])(
    'ends the start when NODE_ENV is "%s"',
    (NODE_ENV) => {
      expect(() => read({ NODE_ENV, AUTH_DEV_MODE: 'true' })).toThrow(
        /^invalid settings: (AUTH_DEV_MODE|NODE_ENV): [^\n]*$/,
      );
    },
  );
  test.each(['1', 'TRUE', 'yes'])('has no other spelling: "%s" ends the start', (AUTH_DEV_MODE) => {
    expect(() => read({ AUTH_DEV_MODE })).toThrow(/AUTH_DEV_MODE/);
  });
  test.each(['development', 'test', 'staging', 'production'])('is off by default with %s', (NODE_ENV) => {
    expect(read({ NODE_ENV }).AUTH_DEV_MODE).toBe(false);
  });
});

describe('the identity provider', () => {
  test('counts as not configured without an issuer', () => {
    expect(identityProviderOf(read({ IDP_JWKS_URL: 'https://idp.test/keys' }))).toBeNull();
  });
  test('has its key set beneath the issuer unless an address is given', () => {
    const derived = identityProviderOf(read({ IDP_ISSUER: 'https://idp.test/' }));
    expect(derived?.jwksUrl).toBe('https://idp.test/.well-known/jwks.json');
    const configured = identityProviderOf(
      read({ IDP_ISSUER: 'https://idp.test', IDP_JWKS_URL: 'https://idp.test/k' }),
    );
    expect(configured?.jwksUrl).toBe('https://idp.test/k');
  });
  test('takes a comma list of authorized parties', () => {
    const provider = identityProviderOf(
      read({ IDP_ISSUER: 'https://idp.test', IDP_AUTHORIZED_PARTIES: 'https://a.test, https://b.test,' }),
    );
    expect(provider?.authorizedParties).toEqual(['https://a.test', 'https://b.test']);
  });
});

describe('trusted proxies', () => {
  test('are the loopback by default', () => expect(read({}).TRUSTED_PROXIES).toEqual(['loopback']));
  test('are addresses, ranges and names', () => {
    const list = '10.0.0.0/8, ::1, fd00::/8, uniquelocal';
    expect(read({ TRUSTED_PROXIES: list }).TRUSTED_PROXIES).toHaveLength(4);
  });
  test.each(['true', '1', '10.0.0.0/33', '0.0.0.0/0', 'proxy.test', '10.0.0.0/8/8'])(
    '"%s" ends the start',
    (list) => {
      expect(() => read({ TRUSTED_PROXIES: list })).toThrow(/TRUSTED_PROXIES/);
    },
  );
});

test('G-13: a broken signing key ends the start without being shown', () => {
  for (const key of ['hunter2-secret', signingKeys.verifyKey]) {
    const start = () => read({ IDENTITY_SIGNING_KEY: key });
    expect(start).toThrow(/IDENTITY_SIGNING_KEY/);
    expect(start).not.toThrow(new RegExp(key.slice(0, 12)));
  }
});

test('needs neither a bus nor a database', () => {
  expect(read({}).NATS_URL).toBeUndefined();
  expect(Object.keys(read({})).filter((name) => name.startsWith('DATABASE'))).toEqual([]);
});
