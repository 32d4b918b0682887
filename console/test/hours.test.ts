import { expect, test } from 'vitest';
import { hoursOf, textOf } from '../src/pages/channels/hours.ts';

const timeZone = 'Europe/Berlin';

test('times are read as people write them, and shown so that they are read again', () => {
  const typed = { timeZone, 'hours-monday': '9-12:30, 14.00 – 17:30', 'hours-sunday': '' };
  const hours = hoursOf(typed);
  expect(hours).toEqual({
    timeZone,
    days: {
      monday: [
        { from: '09:00', to: '12:30' },
        { from: '14:00', to: '17:30' },
      ],
    },
  });
  const shown = textOf(hours?.days.monday);
  expect(shown).toBe('09:00–12:30, 14:00–17:30');
  expect(hoursOf({ timeZone, 'hours-monday': shown })).toEqual(hours);
});

test('what is no time is sent as it is, so that the API says what is wrong with it', () => {
  expect(hoursOf({ timeZone, 'hours-friday': 'in the morning' })?.days.friday).toEqual([
    { from: 'in the morning', to: '' },
  ]);
});

test('without any time there are no hours', () => {
  expect(hoursOf({ timeZone, 'hours-monday': ' ' })).toBeNull();
});
