import { expect, test } from 'vitest';
import { granteeOf } from '../../../src/external-tools/domain/calls/own-account.ts';

const requester = (userId: string, isProven = true) => ({
  userId,
  platform: 'messenger' as const,
  platformUserId: userId,
  name: userId,
  isProven,
});

test('only the proven and only sender of a private chat uses an account of their own', () => {
  const requesters = [requester('ada')];
  expect(granteeOf({ requesters, isPrivate: true })).toEqual({ personId: 'ada' });
  expect(granteeOf({ requesters, isPrivate: false })).toHaveProperty('reason');
  expect(granteeOf({ requesters: [...requesters, requester('bob')], isPrivate: true })).toHaveProperty(
    'reason',
  );
  expect(granteeOf({ requesters: [requester('ada', false)], isPrivate: true })).toHaveProperty('reason');
  expect(granteeOf({ requesters: [], isPrivate: true })).toHaveProperty('reason');
});

test('by mail nobody uses an account of their own, because they could not confirm it there', () => {
  const requesters = [{ ...requester('ada@example.com'), platform: 'email' as const }];
  expect(granteeOf({ requesters, isPrivate: true })).toHaveProperty('reason');
});
