import { z } from 'zod';

const dayMs = 86_400_000;
const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);
const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a date or a moment in ISO 8601',
});

/** A `from` day counts from its first moment, a `to` day until its last. */
const momentOf = (dayOffset: number) => (text: string, ctx: z.RefinementCtx) => {
  const ms = Date.parse(text) + (isDay(text) ? dayOffset : 0);
  if (ms >= earliest && ms <= latest) return new Date(ms);
  ctx.addIssue({ code: 'custom', message: 'must be between 2000 and 2100' });
  return z.NEVER;
};

export const From = instant
  .transform(momentOf(0))
  .describe('Start of the range: a day in UTC, or a moment. Inclusive.');
export const To = instant
  .transform(momentOf(dayMs))
  .describe('End of the range: a day in UTC, inclusive, or a moment, exclusive.');

export const GroupName = z.enum(['day', 'month', 'bot', 'agent', 'provider', 'model', 'keySource'], {
  error: 'must be one of day, month, bot, agent, provider, model, keySource',
});
export type GroupName = z.output<typeof GroupName>;
const isTime = (name: GroupName): boolean => name === 'day' || name === 'month';

/** Grouping of a series: by one field, or by a time and one other field, in any order. */
export const GroupBy = z
  .union([z.string(), z.array(z.string())])
  .transform((names) => [names].flat().flatMap((name) => name.split(',')))
  .pipe(z.array(GroupName).min(1).max(2, 'must be at most 2 names'))
  .refine(
    (names) => names.length < 2 || names.filter(isTime).length === 1,
    'two names must be a day or month, and one other',
  )
  .describe(
    'One of `day`, `month`, `bot`, `agent`, `provider`, `model`, `keySource`; or two, exactly one of which is `day` or `month`.',
  );
