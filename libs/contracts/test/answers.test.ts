import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null;

const document = JSON.parse(await readFile('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { responses?: Record<string, Json> }>>;
  components: Json;
};

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Places in a schema, and in those that it refers to, where an object has fields and lets others through. */
function openObjects(schema: Json, place: string, seen: Set<string>): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => openObjects(one, place, seen));
  if (!isObject(schema)) return [];
  const { $ref: target, properties, additionalProperties = false } = schema;
  if (typeof target === 'string') {
    if (seen.has(target)) return [];
    seen.add(target);
    const path = target.slice(2).split('/');
    return openObjects(
      path.reduce((node, name) => (node as Record<string, Json>)[name]!, document as unknown as Json),
      target,
      seen,
    );
  }
  const own = properties !== undefined && additionalProperties !== false ? [place] : [];
  return [
    ...own,
    ...Object.entries(schema).flatMap(([name, one]) => openObjects(one, `${place}/${name}`, seen)),
  ];
}

test('no answer contains a field that its schema does not declare, so a whole row may be passed to it', () => {
  const seen = new Set<string>();
  const open = Object.entries(document.paths)
    // The collector's response is passed through unchanged.
    .filter(([path]) => !path.startsWith('/api/otel/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses = {} }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([status, answer]) => openObjects(answer, `${method} ${path} ${status}`, seen)),
      ),
    );
  expect(open).toEqual([]);
  expect(seen.size).toBeGreaterThan(50);
});
