import { expect, test } from 'vitest';
import { adapterSettings } from '../../../services/webhooks/src/platforms/registry.ts';
import { fakeNames, fakes } from '../settings/fakes.ts';
import { readLauncherSettings } from '../settings/settings.ts';

test('with nothing set it is development on loopback, without login, with all sandbox platforms', () => {
  expect(readLauncherSettings({})).toMatchObject({
    mode: 'development',
    isAuthOff: true,
    host: '127.0.0.1',
    port: 3001,
    sandbox: [...fakeNames, 'idp', 'model', 'tools'],
  });
});

test('each real platform replaces its sandbox, and a real identity provider ends development mode', () => {
  const settings = readLauncherSettings({
    MESSENGER_API_URL: 'https://api.telegram.org',
    IDP_ISSUER: 'https://idp.example',
  });
  const others = fakeNames.filter((name) => name !== 'messenger');
  expect(settings.sandbox).toEqual([...others, 'model', 'tools']);
  expect(settings.isAuthOff).toBe(false);
});

test.each(['production', 'staging'])(
  '%s has no sandbox, demands tokens and listens on all addresses',
  (mode) => {
    expect(readLauncherSettings({ NODE_ENV: mode })).toMatchObject({
      isAuthOff: false,
      host: '0.0.0.0',
      sandbox: [],
    });
    expect(() => readLauncherSettings({ NODE_ENV: mode, AUTH_DEV_MODE: 'true' })).toThrow(
      /^invalid settings: AUTH_DEV_MODE/,
    );
  },
);

test('what is set wins: development mode can be switched off', () => {
  expect(readLauncherSettings({ AUTH_DEV_MODE: 'false' }).isAuthOff).toBe(false);
});

test('a broken variable is named and never shown', () => {
  const content = 'b@d c0ntent';
  const names = [
    'PORT',
    'NODE_ENV',
    'AUTH_DEV_MODE',
    'DATABASE_URL',
    'NATS_URL',
    'WEBHOOK_BASE_URL',
    'SECRETS_KEYS',
  ];
  for (const name of names) {
    expect(() => readLauncherSettings({ [name]: content })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(new RegExp(`^invalid settings: ${name}: (?!.*c0ntent).+$`)),
      }),
    );
  }
});

test('the sandbox has a fake for every platform whose API has an address', () => {
  const addresses = Object.keys(adapterSettings).filter((name) => name.endsWith('_API_URL'));
  const settings = fakeNames.map((name) => fakes[name].setting);
  expect(settings.toSorted()).toEqual(addresses.toSorted());
});
