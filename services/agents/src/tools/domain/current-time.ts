import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

export const tellTime: Tool<'current_time'> = async (_deps, { settings, parameters }) => ({
  text: describeMoment(new Date(), parameters.timeZone ?? settings.timeZone),
});

/**
 * In words and as ISO 8601: `Saturday, 21 November 2026 at 00:40:01 GMT+01:00, Europe/Berlin (UTC:
 * 2026-11-20T23:40:01.000Z)`. @throws ToolError for an unknown zone.
 */
export function describeMoment(moment: Date, timeZone: string): string {
  return `${formatIn({ ...fields, timeZone }, moment)}, ${timeZone} (UTC: ${moment.toISOString()})`;
}

const fields = {
  weekday: 'long',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
} as const;

function formatIn(options: Intl.DateTimeFormatOptions, moment: Date): string {
  try {
    return new Intl.DateTimeFormat('en-GB', options).format(moment);
  } catch (error) {
    throw new ToolError('refused', 'unknown time zone: use an IANA name such as Europe/Berlin', {
      cause: error,
    });
  }
}
