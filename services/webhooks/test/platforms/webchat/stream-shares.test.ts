import { HttpError } from '@botyard/shared/http/errors';
import { beforeEach, expect, test } from 'vitest';
import { StreamShares } from '../../../src/platforms/webchat/domain/stream-shares.ts';

let shares: StreamShares;
let visitors = 0;

beforeEach(() => {
  shares = new StreamShares();
});

type Holder = Parameters<StreamShares['open']>[0];

/** Opens streams until one is refused, each of a new visitor unless one is named. */
function openAll(of: (count: number) => Partial<Holder>): (() => void)[] {
  const ends: (() => void)[] = [];
  for (;;) {
    visitors += 1;
    const holder = {
      tenantId: 'one',
      visitorId: `visitor ${visitors}`,
      address: '192.0.2.1',
      ...of(ends.length),
    };
    try {
      ends.push(shares.open(holder));
    } catch (error) {
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ status: 503 });
      return ends;
    }
  }
}

const addressOf = (count: number) => `198.51.${Math.floor(count / 250)}.${count % 250}`;
const opens = (tenantId: string, address: string) => () =>
  shares.open({ tenantId, visitorId: `${tenantId} ${address}`, address })();

test('a visitor has 6 streams, and gets one again when one has ended', () => {
  const ends = openAll((count) => ({ visitorId: 'anna', address: addressOf(count) }));
  expect(ends).toHaveLength(6);
  ends[0]!();
  expect(openAll((count) => ({ visitorId: 'anna', address: addressOf(count) }))).toHaveLength(1);
  expect(opens('one', '203.0.113.1')).not.toThrow();
});

test('an address that takes all it can leaves the other addresses of the tenant theirs', () => {
  expect(openAll(() => ({}))).toHaveLength(400);
  expect(opens('one', '203.0.113.1')).not.toThrow();
  expect(opens('other', '192.0.2.1')).not.toThrow();
});

test('a tenant that takes all it can leaves the other tenants theirs', () => {
  expect(openAll((count) => ({ address: addressOf(count) }))).toHaveLength(1500);
  expect(opens('one', '203.0.113.1')).toThrow('as many as you may have');
  expect(opens('other', '203.0.113.1')).not.toThrow();
});

test('when tenants have taken all but the reserve, one that has few still gets 50', () => {
  const taken = ['one', 'two', 'three'].flatMap((tenantId) =>
    openAll((count) => ({ tenantId, address: addressOf(count) })),
  );
  expect(taken).toHaveLength(3500);
  expect(openAll((count) => ({ tenantId: 'small', address: addressOf(count) }))).toHaveLength(50);
});
