import { expect, test } from 'vitest';
import { mailboxOf } from '../../../../../src/platforms/mailgun/domain/senders/addresses.ts';

test('spellings of one mailbox are counted as one', () => {
  const spellings = ['an.na@gmail.com', 'anna+1@gmail.com', 'a.n.n.a+x+y@googlemail.com', 'anna@gmail.com'];
  expect(new Set(spellings.map(mailboxOf))).toEqual(new Set(['anna@gmail.com']));
  expect(mailboxOf('an.na+1@acme.com')).toBe('an.na@acme.com');
});
