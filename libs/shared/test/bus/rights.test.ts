import { expect, test } from 'vitest';
import { covers, isOfAnother } from '../../src/bus/rights.ts';

test.each([
  ['a.b', 'a.b', true],
  ['a.b', 'a.c', false],
  ['a.b', 'a.b.c', false],
  ['a.b.c', 'a.b', false],
  ['a.*', 'a.b', true],
  ['a.*', 'a.*', true],
  ['a.*', 'a.>', false],
  ['a.*', 'a.b.c', false],
  ['a.b', 'a.*', false],
  ['a.>', 'a.b.c', true],
  ['a.>', 'a.*', true],
  ['a.>', 'a.>', true],
  ['a.>', 'a', false],
  ['>', 'a.b.>', true],
])('%s covers %s: %s', (pattern, subject, isCovered) => {
  expect(covers(pattern, subject)).toBe(isCovered);
});

test.each([
  ['$JS.API.CONSUMER.CREATE.botyard_tenancy.later', true],
  ['$JS.API.CONSUMER.MSG.NEXT.botyard_tenancy.later', true],
  ['$JS.ACK.botyard_tenancy.later.>', true],
  ['$JS.API.CONSUMER.CREATE.botyard_tenancy.keys', false],
  ['$JS.ACK.botyard_tenancy.keys_tenancy_bot_deleted_v1.>', false],
  ['$JS.API.CONSUMER.CREATE.botyard_tenancy.>', false],
  ['botyard.event.keys.>', false],
])('for keys, to be refused %s is about another service: %s', (refused, isOthers) => {
  expect(isOfAnother(refused, 'keys')).toBe(isOthers);
});
