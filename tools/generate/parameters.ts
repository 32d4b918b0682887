import type { z } from 'zod';

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
      return [name, zod.description ? zod : zod.meta({ description: texts[name] ?? identifierOf(name) })];
    }),
  );
}

/** `integrationId` is the identifier of an integration, and `id` of whatever the path is about. */
function identifierOf(name: string): string {
  const what = name.replace(/Id$/, '').toLowerCase();
  if (what === 'id') return 'Its identifier.';
  return `Identifier of the ${what}.`;
}
