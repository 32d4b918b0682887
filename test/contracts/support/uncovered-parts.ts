import { events } from '@botyard/contracts/events/catalogue';
import { PlatformName } from '@botyard/contracts/http/platform';
import { Provider } from '@botyard/contracts/http/provider';
import { z } from 'zod';

/** Covered elsewhere: names of registries in the manifest of the samples, and events that have their own samples. */
const shownElsewhere: ReadonlySet<z.ZodType> = new Set([
  ...[Provider, PlatformName],
  ...events.map(({ schema }) => schema),
]);

type Place = { schema: z.ZodType; values: readonly unknown[]; at: string };

/**
 * The parts of a schema that none of these values has: fields, items, alternatives, words, `null`. A part that no
 * sample has could be removed without a failing test.
 */
export function uncoveredParts(schema: z.ZodType, values: readonly unknown[], at = ''): string[] {
  return uncovered({ schema, values, at });
}

function uncovered({ schema, values, at }: Place): string[] {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return [at];
  if (at !== '' && shownElsewhere.has(schema)) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return uncovered({ schema: schema.unwrap() as z.ZodType, values: present, at });
  if (schema instanceof z.ZodNullable) return uncoveredOfNullable(schema, present, at);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) =>
      uncovered({
        schema: field as z.ZodType,
        values: present.map((value) => (value as Record<string, unknown>)[name]),
        at: `${at}.${name}`,
      }),
    );
  if (schema instanceof z.ZodArray)
    return uncovered({ schema: schema.element as z.ZodType, values: present.flat(), at: `${at}[]` });
  if (schema instanceof z.ZodRecord)
    return uncovered({
      schema: schema.valueType as z.ZodType,
      values: present.flatMap((value) => Object.values(value as object)),
      at: `${at}.*`,
    });
  if (schema instanceof z.ZodUnion) return uncoveredOfUnion(schema, present, at);
  if (schema instanceof z.ZodEnum)
    return schema.options
      .filter((word) => !present.includes(word))
      .map((word) => `${at} ${JSON.stringify(word)}`);
  return [];
}

function uncoveredOfNullable(schema: z.ZodNullable, values: readonly unknown[], at: string): string[] {
  return [
    ...(values.includes(null) ? [] : [`${at} null`]),
    ...uncovered({
      schema: schema.unwrap() as z.ZodType,
      values: values.filter((value) => value !== null),
      at,
    }),
  ];
}

function uncoveredOfUnion(schema: z.ZodUnion, values: readonly unknown[], at: string): string[] {
  return schema.options.flatMap((option, place) => {
    const fitting = values.filter((value) => (option as z.ZodType).safeParse(value).success);
    return uncovered({ schema: option as z.ZodType, values: fitting, at: `${at}|${place}` });
  });
}
