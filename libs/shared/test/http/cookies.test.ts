import { onlyCookies, readCookie, writeCookie } from '@botyard/shared/http/cookies';
import { expect, test } from 'vitest';

test('a cookie is read by its whole name; a name that occurs twice counts as missing', () => {
  const header = 'a=1; login=x=y; xlogin=2; Login=3;broken; =4';
  expect(readCookie(header, 'login')).toBe('x=y');
  expect(readCookie(`${header}; login=z`, 'login')).toBeUndefined();
  expect(readCookie('__proto__=1', 'constructor')).toBeUndefined();
  expect(readCookie(undefined, 'login')).toBeUndefined();
});

test('only the named cookies pass, and no header is left where none of them is', () => {
  expect(onlyCookies('a=1; b=2; c=3; b=4', ['b', 'c'])).toBe('b=2; c=3; b=4');
  expect(onlyCookies('a=1; ab=2', ['b'])).toBeUndefined();
  expect(onlyCookies('a=1', [])).toBeUndefined();
  expect(onlyCookies(undefined, ['a'])).toBeUndefined();
});

test('no script and no other site gets a cookie that is written here, and over http only one that may go there', () => {
  const cookie = { name: 'login', value: 'v', maxAgeSeconds: 60 };
  expect(writeCookie({ ...cookie, isSecure: true })).toBe(
    'login=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  );
  expect(writeCookie({ ...cookie, isSecure: false })).toBe(
    'login=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
});
