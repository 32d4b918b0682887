import { readFileSync } from 'node:fs';
import { Secret } from '@botyard/shared/secrets/secret';
import { signLogin } from '@botyard/testing/messenger/new-bot';
import { expect, test } from 'vitest';
import {
  dataCheckString,
  freshForSeconds,
  verifySignedLogin,
} from '../../../src/messenger-login/domain/signed-login.ts';

interface Vector {
  bot_token: string;
  fields: Record<string, string>;
  data_check_string: string;
}
const file = new URL('../../../../../test/fixtures/messenger-login.json', import.meta.url);
const { own, published } = JSON.parse(readFileSync(file, 'utf8')) as { own: Vector; published: Vector };

const token = '7123456789:AAHfakeFAKEfakeFAKEfakeFAKEfake12345';
const now = 1_795_200_000_000;
const signedAt = now / 1000;
const verify = (fields: Record<string, string>, botToken = token, at = now) =>
  verifySignedLogin(fields, new Secret(botToken), at);
const sign = (more: Record<string, string | number> = {}) =>
  signLogin(token, { id: 5512345678, first_name: 'Anna', auth_date: signedAt, ...more });

test.each([own, published])('a login that the platform signed is recognized, with its account', (vector) => {
  const { fields, bot_token: botToken, data_check_string: text } = vector;
  expect(dataCheckString(fields)).toBe(text);
  expect(verify(fields, botToken, Number(fields.auth_date) * 1000)).toEqual({
    platformUserId: fields.id,
    name: `${fields.first_name} ${fields.last_name}`,
    username: fields.username,
    hash: fields.hash,
  });
});

test('a login that was changed, extended or shortened is no longer valid', () => {
  const { fields, bot_token: botToken } = own;
  const at = Number(fields.auth_date) * 1000;
  for (const name of Object.keys(fields)) {
    expect(verify({ ...fields, [name]: `${fields[name]}1` }, botToken, at), name).toBeNull();
    const { [name]: _gone, ...without } = fields;
    expect(verify(without, botToken, at), name).toBeNull();
  }
  expect(verify({ ...fields, role: 'admin' }, botToken, at)).toBeNull();
  expect(verify(fields, token.replace('AAH', 'AAI'), at)).toBeNull();
});

test('every field that the platform adds one day is part of the signature', () => {
  expect(verify(sign({ is_premium: 'true' }))).not.toBeNull();
});

test('a signature is good for 5 minutes, and 30 seconds before its time for clocks that differ', () => {
  const verdictAt = (seconds: number) => verify(sign(), token, now + seconds * 1000) !== null;
  expect([-31, -30, 0, freshForSeconds, freshForSeconds + 1].map(verdictAt)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});

test.each([
  ['a number with something around it', { id: '5512345678 ' }],
  ['no number', { id: 'anna' }],
  ['nothing', { id: '' }],
  ['zero', { id: '0' }],
  ['a moment that is none', { auth_date: `${signedAt}.5` }],
  ['a moment in hexadecimal', { auth_date: '0x6b00' }],
])('%s is refused, although it is signed', (_what, change) => {
  expect(verify(sign(change))).toBeNull();
});

test('the key of a mini-app, or the token itself, signs nothing here', async () => {
  const { createHmac } = await import('node:crypto');
  const { hash: _hash, ...fields } = sign();
  const text = dataCheckString(fields);
  for (const key of [createHmac('sha256', 'WebAppData').update(token).digest(), Buffer.from(token)]) {
    const hash = createHmac('sha256', key).update(text).digest('hex');
    expect(verify({ ...fields, hash })).toBeNull();
  }
});

test('a name is bounded and well-formed, for any bytes', () => {
  const login = verify(sign({ first_name: '\u202Egnp\uD800', last_name: 'x'.repeat(900) }));
  expect(login?.name.length).toBe(200);
  expect(login?.name.isWellFormed()).toBe(true);
  const nameless = signLogin(token, { id: 1, auth_date: signedAt });
  expect(verify(nameless)).toMatchObject({ platformUserId: '1', name: '', username: null });
});
