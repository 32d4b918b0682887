import { createHmac } from 'node:crypto';
import { Secret } from '@botyard/shared/secrets/secret';
import { expect, test } from 'vitest';
import { verifyRequest } from '../../../../src/platforms/whatsapp/domain/verify.ts';

const keys = { appSecrets: [new Secret('new'), new Secret('old')], verifyTokens: [new Secret('token')] };
const bytes = Buffer.from('{"a":"\\u00e4\\/"}');
const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;

const post = (signature: string | undefined, rawBody: Uint8Array = bytes) =>
  verifyRequest(
    { method: 'POST', url: '/webhooks/whatsapp/x', headers: { 'x-hub-signature-256': signature }, rawBody },
    keys,
  );

const get = (query: string) =>
  verifyRequest({ method: 'GET', url: `/webhooks/whatsapp/x?${query}`, headers: {}, rawBody: bytes }, keys);

test('a delivery is verified by the bytes as received, also with the previous secret', () => {
  expect(post(sign('new'))).toEqual({ outcome: 'verified' });
  expect(post(sign('old'))).toEqual({ outcome: 'verified' });
  expect(post(sign('new').toUpperCase().replace('SHA256', 'sha256'))).toEqual({ outcome: 'verified' });
  const decoded = Buffer.from(JSON.stringify(JSON.parse(String(bytes))));
  expect(post(sign('new'), decoded)).toEqual({ outcome: 'refused', reason: 'wrong signature' });
});

test.each([undefined, '', 'sha256=', 'sha1=00', `sha256=${'0'.repeat(63)}`, `sha256=${'0'.repeat(65)}`])(
  'a delivery with the signature %s is refused',
  (signature) => {
    expect(post(signature)).toEqual({ outcome: 'refused', reason: 'no signature' });
  },
);

test('the challenge is answered unchanged, to whoever shows the token', () => {
  const query = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=token';
  expect(get(query)).toEqual({
    outcome: 'answered',
    status: 200,
    contentType: 'text/plain',
    body: '1158201444',
  });
  expect(get(query.replace('=token', '=Token'))).toEqual({
    outcome: 'refused',
    reason: 'wrong verify token',
  });
  expect(get(query.replace('subscribe', 'x'))).toEqual({ outcome: 'refused', reason: 'no challenge' });
  expect(get(query.replace('1158201444', '%3Cscript%3E'))).toEqual({
    outcome: 'refused',
    reason: 'no challenge',
  });
});
