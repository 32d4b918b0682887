import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readVerifiedEmail } from '../../src/auth/idp-records.ts';

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/fixtures/idp/${name}.json`, import.meta.url), 'utf8'))
    .data;

const address = (id: string, status: unknown) => ({
  id,
  email_address: `${id}@example.com`,
  verification: status === null ? null : { status },
});
const person = (primary: string | null, ...addresses: unknown[]) => ({
  id: 'user_1',
  primary_email_address_id: primary,
  email_addresses: addresses,
});

test("a primary address is a person's where the identity provider has verified it", () => {
  expect(readVerifiedEmail(fixture('user_created'))).toBe('anna.keller@example.com');
  expect(readVerifiedEmail(person('b', address('a', 'verified'), address('b', 'verified')))).toBe(
    'b@example.com',
  );
});

test.each([
  [
    'whose primary address is not verified, though another is',
    person('b', address('a', 'verified'), address('b', 'unverified')),
  ],
  ['with a verification of another kind', person('a', address('a', 'transferable'))],
  ['without a word of verification', person('a', address('a', null))],
  ['with a verification that is none', person('a', { ...address('a', null), verification: 'verified' })],
  ['without addresses', person(null)],
  ['whose only address is not verified', person(null, address('a', 'failed'))],
  ['who is none', { id: 'a b' }],
  ['who is nothing', null],
])('nobody %s has an address that counts', (_who, record) => expect(readVerifiedEmail(record)).toBeNull());
