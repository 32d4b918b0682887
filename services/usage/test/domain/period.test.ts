import { expect, test } from 'vitest';
import { dayOf, monthOf, periodOf } from '../../src/domain/period.ts';

test.each([
  ['2026-11-21T10:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-11-30T23:59:59.999Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  // Another day than in UTC, in most zones.
  ['2026-11-01T00:30:00+02:00', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
])('the month of %s begins %s and ends before %s', (moment, start, end) => {
  expect(monthOf(new Date(moment))).toEqual({ start: new Date(start), end: new Date(end) });
});

test('a day ends at midnight in UTC, in any time zone of the process', () => {
  expect(dayOf(new Date('2026-10-31T23:59:59.999Z'))).toBe('2026-10-31');
  expect(dayOf(new Date('2026-11-01T00:00:00.000Z'))).toBe('2026-11-01');
});

test.each([
  // A reset divides the month in which it was made, and no other.
  [
    '2026-11-10T00:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-10T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ],
  [
    '2026-11-10T00:00:00.000Z',
    '2026-11-09T10:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
    '2026-11-10T00:00:00.000Z',
  ],
  [
    '2026-09-10T00:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ],
  [
    '2026-12-10T00:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ],
])('with a reset at %s the period of %s begins %s and ends before %s', (reset, moment, start, end) => {
  const quota = { period: 'month', resetAt: new Date(reset) } as const;
  expect(periodOf(quota, new Date(moment))).toEqual({ start: new Date(start), end: new Date(end) });
});
