import { expect, test } from 'vitest';

// A script of browsers, which has no types.
const { isAway } = await import(
  new URL('../../../src/platforms/webchat/widget/hours.js', import.meta.url).href
);

const hours = {
  timeZone: 'Europe/Berlin',
  days: { monday: [{ from: '09:00', to: '17:30' }], sunday: [{ from: '00:00', to: '24:00' }] },
};

test.each([
  ['before the beginning', '2026-01-05T07:59:00Z', true],
  ['at the beginning', '2026-01-05T08:00:00Z', false],
  ['at the end', '2026-01-05T16:30:00Z', true],
  ['in summer time, an hour earlier', '2026-07-06T07:00:00Z', false],
  ['on a day without times', '2026-01-06T10:00:00Z', true],
  ['in the last minute of a whole day', '2026-01-04T22:59:00Z', false],
  ['when it is Monday there and still Sunday elsewhere', '2026-01-04T23:30:00Z', true],
])('%s the team is away or there by the time of its own zone', (_when, now, expected) => {
  expect(isAway(hours, new Date(now))).toBe(expected);
});

test('without hours, and in a browser that does not know the time zone, nobody is called away', () => {
  expect(isAway(null)).toBe(false);
  expect(isAway({ ...hours, timeZone: 'Mars/Olympus' })).toBe(false);
});
