import type { z } from 'zod';
import { invalid } from './errors.ts';
import { issuesOf } from './issues.ts';
import { findUnknownFields } from './unknown-fields.ts';

interface Place {
  /** Path to the value in the request. */
  path?: readonly PropertyKey[];
  /** The word for a field there. */
  thing?: string;
}

/**
 * A caller's input, parsed by its schema.
 * @throws HttpError 400 with an issue for each invalid value and each unknown field.
 */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { path = [], thing = 'field' }: Place = {},
): z.output<Schema> {
  const unknown = findUnknownFields(schema, value, thing);
  const result = schema.safeParse(value);
  if (result.success && unknown.length === 0) return result.data;
  const faults = result.success ? [] : issuesOf(result.error, value);
  // A strict object also reports unknown fields, but without a suggested name.
  const unknownPaths = new Set(unknown.map(({ path: at }) => at.join('.')));
  const others = faults.filter((fault) => !unknownPaths.has(fault.path.join('.')));
  throw invalid([...unknown, ...others].map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
}
