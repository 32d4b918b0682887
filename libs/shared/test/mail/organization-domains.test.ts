import { areAligned, domainOf, normalizeDomain, organizationalDomainOf } from '@botyard/shared/mail/domains';
import { isOrganizationDomain } from '@botyard/shared/mail/organization-domains';
import { expect, test } from 'vitest';

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
])('no organization controls every address at %s', (domain) => {
  expect(isOrganizationDomain(domain)).toBe(false);
});

test.each(['acme.com', 'mail.acme.com', 'live.acme.com', 'bund.de', 'acme.co.uk', 'xn--bcher-kva.example'])(
  '%s can be a group',
  (domain) => {
    expect(isOrganizationDomain(domain)).toBe(true);
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
  'github.io',
  's3.amazonaws.com',
  `${'a.'.repeat(200)}com`,
])('%j is no domain of a group', (domain) => {
  expect(isOrganizationDomain(domain)).toBe(false);
});

test('the domain is the part after the last @', () => {
  expect(['a@b.c', 'a@b@C.d', 'a', ''].map(domainOf)).toEqual(['b.c', 'c.d', '', '']);
});

test.each([
  ['Acme.COM', 'acme.com'],
  [' acme.com. ', 'acme.com'],
  ['Bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['mail。acme.com', undefined],
  ['acme', undefined],
  ['acme.com/x', undefined],
  ['acme.com:25', undefined],
  ['user@acme.com', undefined],
  ['127.0.0.1', undefined],
  ['0x7f.1', undefined],
  ['[::1]', undefined],
  ['a..com', undefined],
  ['a.com..', undefined],
  ['_dmarc.acme.com', undefined],
  ['acme.com\n', 'acme.com'],
  ['ac\u0000me.com', undefined],
  ['acme.com'.padStart(300, 'a'), undefined],
])('%j is read as %j', (written, domain) => {
  expect(normalizeDomain(written)).toBe(domain);
});

test.each([
  ['mail.acme.co.uk', 'acme.co.uk'],
  ['acme.co.uk', 'acme.co.uk'],
  ['co.uk', null],
  ['anna.github.io', 'anna.github.io'],
  ['not a domain', null],
])('%j was registered as %j', (domain, organization) => {
  expect(organizationalDomainOf(domain)).toBe(organization);
});

test.each([
  ['acme.com', 'acme.com', true],
  ['mail.acme.com', 'news.acme.com', true],
  ['acme.com', 'bounces.acme.com', true],
  ['acme.com', 'acme.org', false],
  ['acme.com', 'notacme.com', false],
  ['acme.co.uk', 'evil.co.uk', false],
  ['anna.github.io', 'evil.github.io', false],
  ['github.io', 'evil.github.io', false],
  ['', '', false],
  ['acme.com', '', false],
])('%j and %j are of one organization: %j', (left, right, isAligned) => {
  expect(areAligned(left, right)).toBe(isAligned);
});
