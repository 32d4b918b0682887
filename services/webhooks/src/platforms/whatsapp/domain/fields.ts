/** Fields of the platform's objects, whose kinds are not known to be right. */
export type Fields = Readonly<Record<string, unknown>>;

/** More than any list of the platform's has. */
const maxItems = 1000;

export const record = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** The objects of a list; none if it is something else. */
export const records = (value: unknown): Fields[] =>
  (Array.isArray(value) ? value.slice(0, maxItems) : []).map(record).filter((item) => item !== undefined);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The last second that ISO 8601 can write with a four-digit year. */
const latestDate = 253_402_300_799;

/** The platform's seconds, as text or number. Without any, the time of the reading. */
export function momentOf(seconds: unknown, now: Date): string {
  const counted = Number(seconds);
  const isUsable = (typeof seconds === 'string' || typeof seconds === 'number') && counted > 0;
  return (isUsable ? new Date(Math.min(counted, latestDate) * 1000) : now).toISOString();
}
