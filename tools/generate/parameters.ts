import { z } from 'zod';
import { commonMeaning } from './descriptions.ts';
import type { Schema } from './document.ts';

const texts: Readonly<Record<string, string>> = {
  tenantId: 'The tenant. It is checked against the caller before anything else.',
  limit: 'Most items of a page.',
  before: "Where the page begins: the value in the `Link` header of the page before. It can't be made up.",
  provider: 'The model provider.',
};

/** The same shapes, each with a description: its own, a common one, or what its name says. */
export function describeParameters(shape: Readonly<Record<string, z.core.$ZodType>>): z.core.$ZodLooseShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const zod = schema as z.ZodType;
      return [name, zod.description ? zod : zod.meta({ description: texts[name] ?? meaningOf(name, zod) })];
    }),
  );
}

function meaningOf(name: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const meaning = json.description ?? commonMeaning(name, json);
  if (!meaning) throw new Error(`the parameter ${name} has no description: give its contract one`);
  return meaning;
}
