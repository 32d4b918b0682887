import type { z } from 'zod';
import { nearest } from '../words/nearest.ts';
import { maxIssues } from './errors.ts';
import { type InputIssue, unrecognized } from './issues.ts';

type Schema = z.core.$ZodType;

/**
 * Identifiers of a resource and its parents. Clients send back fields that they have read; only the path selects the
 * resource.
 */
const identifiers = new Set(['id', 'tenantId', 'botId', 'integrationId', 'keyId', 'agentId', 'userId']);
/** Searching for similar names is the most expensive step. */
const maxSuggestions = 10;

/**
 * The fields of a value that no object of its schema has, at any depth, at most 50. Free-form parts, such as records,
 * are skipped. In a union, a field is known if one of the variants that match the value's literals has it.
 */
export function findUnknownFields(schema: z.ZodType, value: unknown, thing = 'field'): InputIssue[] {
  const issues: InputIssue[] = [];
  collect([schema], value, { path: [], found: issues, thing });
  return issues;
}

interface Search {
  path: readonly PropertyKey[];
  found: InputIssue[];
  thing: string;
}

/** The depth is that of the value, which `refuseHostileInput` bounds. */
function collect(schemas: readonly Schema[], value: unknown, search: Search): void {
  if (typeof value !== 'object' || value === null) return;
  const { path, found } = search;
  const variants = schemas.flatMap(variantsOf);
  if (Array.isArray(value)) {
    const elements = variants.flatMap(({ kind, inner }) => (kind === 'array' && inner ? [inner] : []));
    if (elements.length === 0) return;
    for (const [index, item] of value.entries())
      collect(elements, item, { ...search, path: [...path, index] });
    return;
  }
  if (variants.some(({ kind }) => kind === 'open')) return;
  const values = variants.flatMap(({ kind, inner }) => (kind === 'record' && inner ? [inner] : []));
  const objects = allowedBy(variants, value as Record<string, unknown>);
  if (objects.length === 0 && values.length === 0) return;
  for (const [key, item] of Object.entries(value)) {
    if (found.length >= maxIssues) return;
    const fields = objects.flatMap((shape) => shape.get(key) ?? []);
    const childSchemas = [...fields, ...values];
    if (childSchemas.length > 0) collect(childSchemas, item, { ...search, path: [...path, key] });
    else if (!identifiers.has(key)) found.push(unknownField(key, objects, value, search));
  }
}

function unknownField(key: string, objects: readonly Shape[], value: object, search: Search): InputIssue {
  const free = objects.flatMap((shape) => [...shape.keys()]).filter((name) => !Object.hasOwn(value, name));
  const near = search.found.length < maxSuggestions ? nearest(key, free) : undefined;
  return unrecognized([...search.path, key], near, search.thing);
}

type Shape = ReadonlyMap<string, Schema>;

/** A possible form of a value: an object with fields, a list or a record of something, or anything. */
interface Variant {
  kind: 'object' | 'array' | 'record' | 'open' | 'plain';
  shape?: Shape;
  inner?: Schema;
}

const remembered = new WeakMap<Schema, readonly Variant[]>();

/** The innermost schemas of unions and wrappers; computed once per schema. */
function variantsOf(schema: Schema): readonly Variant[] {
  const cachedFields = remembered.get(schema);
  if (cachedFields) return cachedFields;
  const variants = makeVariants(schema);
  remembered.set(schema, variants);
  return variants;
}

interface Def {
  type: string;
  innerType?: Schema;
  in?: Schema;
  options?: readonly Schema[];
  left?: Schema;
  right?: Schema;
  getter?: () => Schema;
  shape?: Record<string, Schema>;
  catchall?: Schema;
  element?: Schema;
  valueType?: Schema;
}

function makeVariants(schema: Schema): readonly Variant[] {
  const def = schema._zod.def as unknown as Def;
  if (def.innerType) return variantsOf(def.innerType);
  if (def.in) return variantsOf(def.in);
  if (def.options) return def.options.flatMap(variantsOf);
  if (def.left && def.right) return [def.left, def.right].flatMap(variantsOf);
  if (def.getter) return variantsOf(def.getter());
  if (def.type === 'object') {
    if (def.catchall && def.catchall._zod.def.type !== 'never') return [{ kind: 'open' }];
    return [{ kind: 'object', shape: new Map(Object.entries(def.shape ?? {})) }];
  }
  if (def.type === 'array' && def.element) return [{ kind: 'array', inner: def.element }];
  if (def.type === 'record' && def.valueType) return [{ kind: 'record', inner: def.valueType }];
  return [{ kind: plainTypes.has(def.type) ? 'plain' : 'open' }];
}

/** Types that can't be objects. Types not listed here can. */
const plainTypes = new Set([
  ...['string', 'number', 'int', 'boolean', 'bigint', 'date', 'null', 'undefined', 'void', 'never'],
  ...['literal', 'enum', 'nan', 'template_literal'],
]);

/** Excludes variants whose literals, such as the discriminator, contradict the value, unless none would be left. */
function allowedBy(variants: readonly Variant[], value: Record<string, unknown>): readonly Shape[] {
  const shapes = variants.flatMap(({ shape }) => (shape ? [shape] : []));
  if (shapes.length < 2) return shapes;
  const allowed = shapes.filter((shape) =>
    [...shape].every(([name, field]) => {
      const literals = (field._zod.def as unknown as { type: string; values?: unknown[] }).values;
      return literals === undefined || !Object.hasOwn(value, name) || literals.includes(value[name]);
    }),
  );
  return allowed.length > 0 ? allowed : shapes;
}
