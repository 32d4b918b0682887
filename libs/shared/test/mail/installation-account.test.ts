import {
  type AccountlessSender,
  isReservedAddress,
  whyAccountRefuses,
} from '@botyard/shared/mail/installation-account';
import { expect, test } from 'vitest';

const why = (change: Partial<AccountlessSender>, mailerDomain: string | null = 'bots.example') =>
  whyAccountRefuses(
    {
      address: 'support@bots.example',
      provenDomain: null,
      senderPolicy: 'authorized',
      hasSigningKey: false,
      ...change,
    },
    mailerDomain ?? undefined,
  );

test('the account sends for addresses under its own domain and of a proven one, and for no other', () => {
  expect(why({})).toBeUndefined();
  expect(why({ address: 'support@acme.example', provenDomain: 'acme.example' })).toBeUndefined();
  for (const address of [
    'support@acme.example',
    'support@sub.bots.example',
    'support@notbots.example',
    '@',
    '',
  ])
    expect(why({ address })).toContain('sends only for addresses under bots.example and for domains');
  expect(why({ address: 'support@acme.example', provenDomain: 'other.example' })).toContain(
    'prove acme.example',
  );
  expect(why({ address: 'a@b.example' }, null)).toContain('sends only for domains that');
});

test('everybody is answered only where deliveries are signed', () => {
  expect(why({ senderPolicy: 'open' })).toContain('webhookSigningKey');
  expect(why({ senderPolicy: 'open', hasSigningKey: true })).toBeUndefined();
});

test.each([
  'postmaster',
  'abuse',
  'admin',
  'hostmaster',
  'webmaster',
  'noreply',
  'no-reply',
  'Do_Not.Reply',
  'MAILER-DAEMON',
])('no tenant is %s at the installation', (local) => {
  expect(isReservedAddress(`${local}@bots.example`)).toBe(true);
  expect(why({ address: `${local.toLowerCase()}@bots.example` })).toContain('is reserved');
  expect(
    why({ address: `${local.toLowerCase()}@acme.example`, provenDomain: 'acme.example' }),
  ).toBeUndefined();
});

test.each(['support', 'info', 'sales', 'hello', 'acme', 'administration-office'])('%s is free', (local) => {
  expect(isReservedAddress(`${local}@bots.example`)).toBe(false);
});
