import { expect, test } from 'vitest';
import { WebchatHours } from '../src/platforms/webchat-hours.ts';

const hours = (days: unknown, timeZone = 'Europe/Berlin') => ({ timeZone, days });

test.each([
  ['office hours with a break', hours({ monday: [span('09:00', '12:30'), span('13:30', '18:00')] })],
  ['a whole day', hours({ sunday: [span('00:00', '24:00')] })],
  ['nobody, ever', hours({})],
])('%s are hours', (_what, value) => {
  expect(WebchatHours.parse(value)).toEqual(value);
});

test.each([
  ['an unknown time zone', hours({}, 'Mars/Olympus'), ['timeZone']],
  ['a time zone that is text of any kind', hours({}, '<script>'), ['timeZone']],
  ['an hour that does not exist', hours({ monday: [span('25:00', '26:00')] }), ['days', 'monday', 0, 'from']],
  ['an end before the beginning', hours({ monday: [span('18:00', '09:00')] }), ['days', 'monday', 0, 'to']],
  [
    'times that overlap',
    hours({ monday: [span('09:00', '12:00'), span('11:00', '13:00')] }),
    ['days', 'monday'],
  ],
  ['more than four times', hours({ monday: Array(5).fill(span('09:00', '10:00')) }), ['days', 'monday']],
])('%s is refused, at its place', (_what, value, path) => {
  expect(WebchatHours.safeParse(value).error?.issues[0]?.path).toEqual(path);
});

function span(from: string, to: string) {
  return { from, to };
}
