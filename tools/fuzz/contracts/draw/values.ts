import fc from 'fast-check';
import { followRef, type Schema } from '../operations.ts';

const maxItemsDrawn = 4;
const maxCharacters = 60;
const made = new WeakMap<Schema, fc.Arbitrary<unknown>>();

/**
 * Generates values that a JSON schema of the contracts allows. The service rejects values that violate further rules.
 */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const existingArbitrary = made.get(schema);
  if (existingArbitrary) return existingArbitrary;
  const values = make(followRef(schema));
  made.set(schema, values);
  return values;
}

function make(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (alternatives) return fc.oneof(...alternatives.map(valuesOf));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => make({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return objects(schema);
    case 'array':
      return arrays(schema);
    case 'string':
      return texts(schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objects({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const shape = Object.entries(properties as Record<string, Schema>);
  const record = fc.record(Object.fromEntries(shape.map(([name, inner]) => [name, valuesOf(inner)])), {
    requiredKeys: required as string[],
  });
  if (typeof additionalProperties !== 'object' || shape.length > 0) return record;
  const keys = fc.stringMatching(/^[a-z_]{1,12}$/);
  return fc.dictionary(keys, valuesOf(additionalProperties as Schema), { maxKeys: maxItemsDrawn });
}

function arrays({ items, minItems = 0, maxItems = maxItemsDrawn }: Schema): fc.Arbitrary<unknown> {
  const minLength = Number(minItems);
  const maxLength = Math.max(minLength, Math.min(Number(maxItems), maxItemsDrawn));
  return fc.array(valuesOf((items ?? {}) as Schema), { minLength, maxLength });
}

function texts({ format, pattern, minLength = 0, maxLength = maxCharacters }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'uri') return fc.webUrl();
  if (format === 'email') return fc.emailAddress();
  const [least, most] = [Number(minLength), Math.min(Number(maxLength), maxCharacters)];
  if (typeof pattern === 'string')
    return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, Math.max(most, 1)));
  return fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.max(least, most) });
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const least = Number(minimum ?? Number(exclusiveMinimum ?? -1) + 1);
  const most = Number(maximum ?? Number(exclusiveMaximum ?? Math.max(least, 0) + 1001) - 1);
  if (type === 'integer') return fc.integer({ min: Math.ceil(least), max: Math.floor(most) });
  return fc.double({ min: least, max: most, noNaN: true });
}
