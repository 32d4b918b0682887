import { z } from 'zod';

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

const maxSpans = 4;

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const Span = z
  .object({
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
      .describe('When it begins.'),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 17:30, at most 24:00')
      .describe('When it ends, at most `24:00`.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after the beginning' })
  .meta({ examples: [{ from: '09:00', to: '17:30' }] });

const Day = z
  .array(Span)
  .max(maxSpans, `must be at most ${maxSpans} times`)
  .refine((spans) => spans.every(({ from }, index) => index === 0 || spans[index - 1]!.to <= from), {
    message: 'must be in order, without overlap',
  })
  .describe('The times of this weekday, in order.');

const meaningOfHours =
  'The hours in which people answer. Outside of them visitors read `words.<language>.away`; the bot goes on answering.';

export const WebchatHours = z
  .object({
    timeZone: z
      .string()
      .max(60)
      .regex(/^[A-Za-z]/, 'must be a time zone such as Europe/Berlin')
      .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
      .describe('The time zone of the times, by its IANA name.')
      .meta({ examples: ['Europe/Berlin'] }),
    days: z
      .object(
        Object.fromEntries(weekdays.map((day) => [day, Day.optional()])) as Record<
          Weekday,
          z.ZodOptional<typeof Day>
        >,
      )
      .describe('The times of each weekday. On a day that is left out nobody is there.'),
  })
  .describe(meaningOfHours)
  .meta({ examples: [{ timeZone: 'Europe/Berlin', days: { monday: [{ from: '09:00', to: '17:30' }] } }] });
export type WebchatHours = z.output<typeof WebchatHours>;

export const RemovableHours = WebchatHours.nullish().describe(`${meaningOfHours} \`null\` removes them.`);
