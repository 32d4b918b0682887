/** A time in the reader's time zone. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="text-soft">never</span>;
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  const text = isToday
    ? moment.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={moment.toLocaleString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}

/** A time as short as it can be said: the hour of today, the day of this year, else the date. */
export function Moment({ at }: { at: string }) {
  const moment = new Date(at);
  const now = new Date();
  const format: Intl.DateTimeFormatOptions =
    moment.toDateString() === now.toDateString()
      ? { hour: '2-digit', minute: '2-digit' }
      : moment.getFullYear() === now.getFullYear()
        ? { day: 'numeric', month: 'short' }
        : { dateStyle: 'short' };
  return (
    <time dateTime={at} title={moment.toLocaleString()} className="whitespace-nowrap">
      {moment.toLocaleString(undefined, format)}
    </time>
  );
}

export const dollars = (microUsd: number | null): string =>
  microUsd === null
    ? 'no price'
    : (microUsd / 1e6).toLocaleString(undefined, {
        style: 'currency',
        currency: 'USD',
        maximumFractionDigits: microUsd > 0 && microUsd < 1e6 ? 4 : 2,
      });

export const count = (value: number): string => value.toLocaleString();

export const milliseconds = (value: number): string =>
  value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

/** Formats a size, rounded up, so that a file above a limit never appears to be at the limit. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${(Math.ceil((bytes / 1024 / 1024) * 10) / 10).toFixed(1)} MB`;
