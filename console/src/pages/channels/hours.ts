import type { WebchatHours } from '@botyard/contracts/platforms/webchat-hours';
import { wordsOf } from '../../parts/split-text.ts';

export type Hours = WebchatHours;
type Weekday = keyof Hours['days'];
type Span = NonNullable<Hours['days'][Weekday]>[number];

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[];

export const dayField = (day: string): string => `hours-${day}`;

/** `9-12:30, 14:00–17:30`, as people write it. Anything else stays, so that the API says what is wrong with it. */
const spansOf = (text: string): Span[] =>
  wordsOf(text).map((span) => {
    const [from = '', to = ''] = span.split(/\s*[-–—]\s*/).map(timeOf);
    return { from, to };
  });

function timeOf(text: string): string {
  const [, hour, minute = '00'] = /^(\d{1,2})(?:[:.](\d{2}))?$/.exec(text.trim()) ?? [];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:${minute}`;
}

export const textOf = (spans: readonly Span[] = []): string =>
  spans.map(({ from, to }) => `${from}–${to}`).join(', ');

/** The hours that were typed. Without any time there are none, and there is always somebody. */
export function hoursOf(typed: Readonly<Record<string, string>>): Hours | null {
  const days = weekdays.map((day) => [day, spansOf(typed[dayField(day)] ?? '')] as const);
  const open = days.filter(([, spans]) => spans.length > 0);
  if (open.length === 0) return null;
  return { timeZone: (typed.timeZone ?? '').trim(), days: Object.fromEntries(open) };
}
