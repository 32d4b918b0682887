import { randomBytes } from 'node:crypto';
import type { NewCookie } from '@botyard/shared/http/cookies';
import type { Exchange } from '@botyard/shared/http/exchange';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { afterEach, expect, test, vi } from 'vitest';
import {
  attemptMs,
  beginAttempt,
  isExpired,
  readAttempt,
} from '../../../src/messenger-login/domain/attempt.ts';

const newKeyring = () => Keyring.parse(`k:${randomBytes(32).toString('base64url')}`);

/** A browser that stores its cookies. */
function newBrowser(): Exchange & { jar: Map<string, NewCookie> } {
  const jar = new Map<string, NewCookie>();
  return {
    jar,
    cookie: (name) => jar.get(name)?.value,
    setCookie: (cookie) => void jar.set(cookie.name, cookie),
    redirectTo: () => undefined,
  };
}

afterEach(() => vi.useRealTimers());

test('a sign-in lasts 10 minutes, by our clock and not by the cookie', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const [keyring, browser] = [newKeyring(), newBrowser()];
  await beginAttempt(keyring, browser, 'https://app.example.com/');
  vi.setSystemTime(Date.now() + attemptMs - 1);
  expect(isExpired((await readAttempt(keyring, browser))!)).toBe(false);
  vi.setSystemTime(Date.now() + 1);
  expect(isExpired((await readAttempt(keyring, browser))!)).toBe(true);
});

test('a cookie of another installation, or with one character changed, is invalid', async () => {
  const [keyring, browser] = [newKeyring(), newBrowser()];
  await beginAttempt(keyring, browser, 'https://app.example.com/');
  expect(await readAttempt(newKeyring(), browser)).toBeNull();
  const [cookie] = browser.jar.values();
  const { value } = cookie!;
  for (let at = 0; at < value.length; at += 7) {
    const changed = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
    browser.jar.set(cookie!.name, { ...cookie!, value: changed });
    expect(await readAttempt(keyring, browser)).toBeNull();
  }
});
