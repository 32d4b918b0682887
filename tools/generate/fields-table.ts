import { z } from 'zod';

type Json = z.core.JSONSchema.BaseSchema;

interface Field {
  path: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** A Markdown table of the fields of an object. Nested fields are listed as `outer.inner`. */
export function fieldsTable(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const fields = fieldsOf(json as Json, '');
  const rows = fields.map(({ path, type, isRequired, description }) => [
    `\`${path}\``,
    type,
    isRequired ? 'yes' : 'no',
    description,
  ]);
  const isDescribed = fields.some(({ description }) => description !== '');
  const columns = ['Field', 'Type', 'Required', ...(isDescribed ? ['Description'] : [])];
  const table = [columns, columns.map(() => '---'), ...rows.map((row) => row.slice(0, columns.length))];
  return table.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function fieldsOf(object: Json, prefix: string): Field[] {
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => {
    const field = property as Json;
    const path = `${prefix}${name}`;
    const own = {
      path,
      type: typeOf(field),
      isRequired: object.required?.includes(name) ?? false,
      description: (field.description ?? '').replaceAll('|', '\\|'),
    };
    return [own, ...fieldsOf(innerObject(field), innerPrefix(field, path))];
  });
}

/** The object that a field holds, directly, as an array item, or as a nullable value. */
function innerObject(field: Json): Json {
  if (field.type === 'array' && field.items) return innerObject(field.items as Json);
  const other = (field.anyOf as Json[] | undefined)?.find(({ type }) => type !== 'null');
  return other ? innerObject(other) : field;
}

const innerPrefix = (field: Json, path: string): string =>
  field.type === 'array' ? `${path}[].` : `${path}.`;

function typeOf(field: Json): string {
  if (field.const !== undefined) return `\`${String(field.const)}\``;
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field.anyOf) return (field.anyOf as Json[]).map(typeOf).join(' or ');
  if (field.type === 'array') return `array of ${typeOf((field.items ?? {}) as Json)}`;
  const type = [field.type ?? 'anything'].flat().join(' or ');
  return field.format ? `${type} (${field.format})` : type;
}
