import { expect, test } from 'vitest';
import { describeMoment } from '../../../src/tools/domain/current-time.ts';
import { ToolError } from '../../../src/tools/domain/tool-error.ts';

const moment = new Date('2026-11-20T23:40:01.000Z');

test.each([
  ['UTC', 'Friday, 20 November 2026 at 23:40:01 GMT+00:00, UTC (UTC: 2026-11-20T23:40:01.000Z)'],
  [
    'Europe/Berlin',
    'Saturday, 21 November 2026 at 00:40:01 GMT+01:00, Europe/Berlin (UTC: 2026-11-20T23:40:01.000Z)',
  ],
  [
    'Asia/Kathmandu',
    'Saturday, 21 November 2026 at 05:25:01 GMT+05:45, Asia/Kathmandu (UTC: 2026-11-20T23:40:01.000Z)',
  ],
])('%s', (timeZone, text) => expect(describeMoment(moment, timeZone)).toBe(text));

test.each(['Mars/Olympus', '', '../../etc/passwd', 'Europe/Berlin\0', 'x'.repeat(100), '__proto__'])(
  'no time zone: %j',
  (timeZone) => expect(() => describeMoment(moment, timeZone)).toThrow(ToolError),
);
