import type { z } from 'zod';

/** Fields of a platform's objects, whose kinds are not known to be right. */
export type Fields = Readonly<Record<string, unknown>>;

/** More than any list of a platform's has. */
const maxItems = 1000;

export const record = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** The objects at the beginning of a list; none if it is something else. */
export const records = (value: unknown, most = maxItems): Fields[] =>
  (Array.isArray(value) ? value.slice(0, most) : []).map(record).filter((item) => item !== undefined);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** An optional field, so that a fault in it doesn't lose the delivery. */
export const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** The last second that ISO 8601 can write with a four-digit year. */
export const latestSecond = 253_402_300_799;
