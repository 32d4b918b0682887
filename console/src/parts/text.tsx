/** Made once: to make one takes as long as to format a hundred times. */
const formats = {
  hour: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
  moment: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
  date: new Intl.DateTimeFormat(undefined, { dateStyle: 'short' }),
  whole: new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' }),
} as const;

const TimeElement = ({ at, format }: { at: string; format: Intl.DateTimeFormat }) => (
  <time dateTime={at} title={formats.whole.format(new Date(at))} className="whitespace-nowrap">
    {format.format(new Date(at))}
  </time>
);

const isToday = (moment: Date): boolean => moment.toDateString() === new Date().toDateString();

/** A time in the reader's time zone. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="text-soft">never</span>;
  return <TimeElement at={at} format={isToday(new Date(at)) ? formats.hour : formats.moment} />;
}

/** A time as short as it can be said: the hour of today, the day of this year, else the date. */
export function Moment({ at }: { at: string }) {
  const moment = new Date(at);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  const day = isThisYear ? formats.day : formats.date;
  return <TimeElement at={at} format={isToday(moment) ? formats.hour : day} />;
}

const dayMs = 24 * 3600_000;

/** The name of a period of whole UTC days, such as "November 2026" or "1 – 15 Nov 2026". `end` is exclusive. */
export function periodName(start: string, end: string): string {
  const [first, after] = [new Date(start), new Date(end)];
  const last = new Date(after.getTime() - 1);
  const isMonth =
    first.getTime() === Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1) &&
    after.getTime() === Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
  if (isMonth) return first.toLocaleString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
  return after.getTime() - first.getTime() <= dayMs ? format.format(first) : format.formatRange(first, last);
}

/** The smallest cost, in millionths of a dollar, that four decimals can show. */
const smallestShown = 100;

/** A cost in dollars, wherever one is shown. A cost above zero never appears as zero. */
export function dollars(microUsd: number | null): string {
  if (microUsd === null) return 'no price';
  const isTiny = microUsd > 0 && microUsd < smallestShown;
  const amount = (isTiny ? smallestShown : microUsd) / 1e6;
  const text = amount.toLocaleString(undefined, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: microUsd > 0 && microUsd < 1e6 ? 4 : 2,
  });
  return isTiny ? `under ${text}` : text;
}

export const count = (value: number): string => value.toLocaleString();

export const milliseconds = (value: number): string =>
  value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

/** A duration in its two largest units: people take minutes and hours to answer. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return milliseconds(ms);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a size, rounded up, so that a file above a limit never appears to be at the limit. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${(Math.ceil((bytes / 1024 / 1024) * 10) / 10).toFixed(1)} MB`;

/** The English name of a language, or its tag. */
export const languageName = (language: string): string =>
  new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language) ?? language;
