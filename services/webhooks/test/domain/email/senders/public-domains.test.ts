import { expect, test } from 'vitest';
import { domainOf, mailboxOf } from '../../../../src/domain/email/senders/addresses.ts';
import { isGroupDomain } from '../../../../src/domain/email/senders/public-domains.ts';

test.each([
  ...[
    'gmail.com',
    'googlemail.com',
    'yahoo.co.uk',
    'yahoo.fr',
    'hotmail.com',
    'outlook.de',
    'live.nl',
    'web.de',
  ],
  ...[
    'gmx.net',
    'icloud.com',
    'me.com',
    'proton.me',
    'protonmail.ch',
    'mail.ru',
    'yandex.ru',
    'qq.com',
    'tuta.com',
  ],
  ...['comcast.net', 't-online.de', 'privaterelay.appleid.com', 'mailinator.com', 'hey.com', 'mailbox.org'],
])('nobody speaks for everybody at %s', (domain) => {
  expect(isGroupDomain(domain)).toBe(false);
});

test.each(['acme.com', 'mail.acme.com', 'live.acme.com', 'bund.de', 'acme.co.uk', 'xn--bcher-kva.example'])(
  '%s can be a group',
  (domain) => {
    expect(isGroupDomain(domain)).toBe(true);
  },
);

test.each([
  '',
  'com',
  'co.uk',
  'localhost',
  'a..b',
  '-a.com',
  'acme.com.',
  'ACME.com',
  'acme.com\n',
  '127.0.0.1',
  'büro.de',
])('%j is no domain of a group', (domain) => {
  expect(isGroupDomain(domain)).toBe(false);
});

test('the domain is what follows the last @', () => {
  expect(['a@b.c', 'a@b@C.d', 'a', ''].map(domainOf)).toEqual(['b.c', 'c.d', '', '']);
});

test('spellings of one mailbox are counted as one', () => {
  const spellings = ['an.na@gmail.com', 'anna+1@gmail.com', 'a.n.n.a+x+y@googlemail.com', 'anna@gmail.com'];
  expect(new Set(spellings.map(mailboxOf))).toEqual(new Set(['anna@gmail.com']));
  expect(mailboxOf('an.na+1@acme.com')).toBe('an.na@acme.com');
});
