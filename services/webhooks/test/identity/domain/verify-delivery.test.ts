import { Secret } from '@botyard/shared/secrets/secret';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeliveryVerifier } from '../../../src/identity/domain/verify-delivery.ts';
import { sampleBytes, sign, vectors } from '../../idp-deliveries.ts';

const t0 = 1795200000;
const body = sampleBytes('user_created');
const { secret } = vectors;
const verify = createDeliveryVerifier(new Secret(secret));
const signed = (atSeconds = t0, id = 'msg_1') => sign(body, { secret, id, atSeconds });
const asNeutral = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('svix', 'webhook'), value]),
  );

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: t0 * 1000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test("W-04: the provider's own vectors verify, with either prefix of the headers", () => {
  const expected = { eventId: 'msg_2zUserCreated0000000000001', signedAt: t0 * 1000 };
  expect(verify(body, vectors.headers)).toEqual(expected);
  expect(verify(body, asNeutral(vectors.headers))).toEqual(expected);
  const standard = vectors.standard_webhooks_vector;
  vi.setSystemTime(standard.timestamp * 1000);
  const verifyStandard = createDeliveryVerifier(new Secret(standard.secret));
  const headers = {
    'webhook-id': standard.id,
    'webhook-timestamp': String(standard.timestamp),
    'webhook-signature': standard.signature,
  };
  expect(verifyStandard(Buffer.from(standard.body), headers)?.eventId).toBe(standard.id);
});

test('W-04: one valid signature among several is enough, at any position; other versions do not count', () => {
  const headers = signed();
  const good = headers['svix-signature'] ?? '';
  const other = sign(body, { secret: 'whsec_b3RoZXIga2V5IG9mIGFub3RoZXI=', id: 'msg_1', atSeconds: t0 });
  const wrong = other['svix-signature'] ?? '';
  const shows = (signature: string) => verify(body, { ...headers, 'svix-signature': signature }) !== null;
  expect(shows(`${wrong} ${good}`)).toBe(true);
  expect(shows(`${good} ${wrong}`)).toBe(true);
  expect(shows(`v1a,AAAA v2,${good.slice(3)} ${good}`)).toBe(true);
  expect(shows(good.replace('v1,', 'v2,'))).toBe(false);
  expect(shows(wrong)).toBe(false);
  expect(shows(good.slice(3))).toBe(false);
  for (const odd of ['', 'v1', 'v1,', ',', ' ', `${good}=`, good.slice(0, -1), good.toUpperCase()]) {
    expect(shows(odd)).toBe(false);
  }
});

test('W-04: a signature up to 5 minutes old or ahead is accepted, others are not', () => {
  for (const offset of [-300, -1, 0, 1, 300]) expect(verify(body, signed(t0 + offset))).not.toBeNull();
  for (const offset of [-301, 301, -86_400, 86_400]) expect(verify(body, signed(t0 + offset))).toBeNull();
  for (const odd of ['', 'now', 'NaN', '1e9', '-1', '99999999999999999999']) {
    expect(verify(body, { ...signed(), 'svix-timestamp': odd })).toBeNull();
  }
});

test('W-04: every signed part is covered: body, id and time', () => {
  const headers = signed();
  for (const position of [0, 1, body.length >> 1, body.length - 1]) {
    const flipped = Buffer.from(body);
    flipped[position] = (flipped[position] ?? 0) ^ 1;
    expect(verify(flipped, headers)).toBeNull();
  }
  expect(verify(Buffer.concat([body, Buffer.from(' ')]), headers)).toBeNull();
  expect(verify(Buffer.alloc(0), headers)).toBeNull();
  expect(verify(body, { ...headers, 'svix-id': 'msg_2' })).toBeNull();
  expect(verify(body, { ...headers, 'svix-timestamp': String(t0 + 1) })).toBeNull();
});

test('W-04: bytes that are not UTF-8 are refused even if they decode to the signed text', () => {
  const signedText = Buffer.from('{"name":"\ufffd"}');
  const headers = sign(signedText, { secret, atSeconds: t0 });
  expect(verify(signedText, headers)).not.toBeNull();
  const bytes = Buffer.from(signedText.toString('latin1').replace('\xef\xbf\xbd', '\xff'), 'latin1');
  expect(bytes.toString()).toBe(signedText.toString());
  expect(verify(bytes, headers)).toBeNull();
});

test("W-04: a missing header is refused; if both prefixes are present the vendor's own one counts", () => {
  const headers = signed();
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...rest } = headers;
    expect(verify(body, rest)).toBeNull();
  }
  expect(verify(body, {})).toBeNull();
  const bad = asNeutral({ ...headers, 'svix-signature': 'v1,AAAA' });
  expect(verify(body, { ...bad, ...headers })).not.toBeNull();
  const badVendor = { ...headers, 'svix-signature': 'v1,AAAA' };
  expect(verify(body, { ...asNeutral(headers), ...badVendor })).toBeNull();
});

test("an identifier that can't be stored is refused", () => {
  expect(verify(body, signed(t0, 'x'.repeat(255)))).not.toBeNull();
  expect(verify(body, signed(t0, 'x'.repeat(256)))).toBeNull();
});
