import { z } from 'zod';
import { commonMeaning } from './descriptions.ts';
import type { Schema } from './document.ts';

const texts: Readonly<Record<string, string>> = {
  tenantId: "The tenant. The caller's access to it is checked first.",
  limit: 'Maximum number of items per page.',
  before: 'Opaque cursor of the page, taken from the `Link` header of the previous page.',
  provider: 'The model provider.',
};

/** Adds a description to each parameter that has none: a common one, or one derived from its name. */
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
