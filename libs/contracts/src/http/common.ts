import { z } from 'zod';

/** Identifiers are compared as text, so they are normalized to lower case. */
export const id = z.uuid().toLowerCase();
export const moment = z.iso.datetime();
const firstMoment = Date.parse('0001-01-01T00:00:00Z');
/** Refines a moment to one that Postgres can store: it knows no year 0. */
export const isStorableMoment = (text: string): boolean => !(Date.parse(text) < firstMoment);
export const storableMoment = moment.refine(isStorableMoment, 'must be in the year 1 or later');

type Written<Value> = Value extends Date ? string : Value;

/** A row with its dates as ISO 8601 texts. Fields that a response doesn't declare are removed when it is sent. */
export function withMoments<Row extends object>(row: Row): { [Name in keyof Row]: Written<Row[Name]> } {
  const written = { ...row } as Record<string, unknown>;
  for (const [name, value] of Object.entries(row))
    if (value instanceof Date) written[name] = value.toISOString();
  return written as { [Name in keyof Row]: Written<Row[Name]> };
}

/** A name given by people: trimmed, 1 to 200 characters. */
export const name = z.string().trim().min(1).max(200);
export const description = z.string().trim().max(2000);

export const versionInPath = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a version number')
  .describe('The version number.');

/** Narrows a list within the tenants that the caller administers (REQ-ACCESS-3). */
export const tenantFilter = z.object({
  tenantId: z
    .string()
    .toLowerCase()
    .optional()
    .describe('Only items of this tenant. Returns 403 if the caller does not administer it.'),
});
