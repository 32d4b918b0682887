import { z } from 'zod';

/** The allowed values of a setting, in words, for its error message. The variable's content isn't included. */
export function allowedValues(issue: z.core.$ZodRawIssue, schema: z.ZodType): string {
  const number = numberOf(fieldOf(schema, issue.path?.[0]));
  if (number) return `must be ${number}`;
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values as readonly unknown[])}`;
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return 'must be an address that begins with http:// or https://';
  if (issue.code === 'invalid_format' && issue.pattern) return `must match ${String(issue.pattern)}`;
  if (issue.code === 'too_small') return `must have at least ${String(issue.minimum)} entries`;
  if (issue.code === 'too_big') return `must have at most ${String(issue.maximum)} entries`;
  return 'has a value that is not allowed';
}

function oneOf(values: readonly unknown[]): string {
  const all = values.map(String);
  return all.length === 1 ? String(all[0]) : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

const fieldOf = (schema: z.ZodType, name: PropertyKey | undefined): z.core.$ZodType | undefined =>
  schema instanceof z.ZodObject
    ? (schema.shape as Record<PropertyKey, z.core.$ZodType>)[name ?? '']
    : undefined;

/** A number with its bounds, such as `a whole number from 0 to 65535`. */
function numberOf(field: z.core.$ZodType | undefined): string | undefined {
  let inner = field;
  while (inner && !(inner instanceof z.ZodNumber)) {
    const def = inner._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
    inner = def.innerType ?? def.in;
  }
  if (!inner) return undefined;
  const { minValue, maxValue, isInt } = inner;
  const kind = isInt ? 'a whole number' : 'a number';
  const hasBounds = Number.isFinite(minValue) && Number.isFinite(maxValue);
  return hasBounds ? `${kind} from ${minValue} to ${maxValue}` : kind;
}
