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
