import { commonMeaning } from './descriptions.ts';
import { type OpenapiDocument, operationsOf, type Schema } from './document.ts';

/**
 * Adds the descriptions that the contracts omit: of properties by their values or name, of request bodies by their
 * operations, and of union members by the value that identifies them.
 */
export function describeSchemas(document: OpenapiDocument): void {
  describeBodies(document);
  describeMembers(document);
  describeProperties(document);
}

function describeBodies(document: OpenapiDocument): void {
  const { schemas } = document.components;
  const bodies = operationsOf(document).flatMap(({ requestBody, operationId }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => ({
      name: nameIn(schema.$ref),
      operationId,
    })),
  );
  for (const [name, uses] of Map.groupBy(bodies, (body) => body.name)) {
    const operations = new Set(uses.map(({ operationId }) => `\`${operationId}\``));
    const named = schemas[name];
    if (named) named.description ??= `Request body of ${new Intl.ListFormat('en').format(operations)}.`;
  }
}

function describeMembers({ components: { schemas } }: OpenapiDocument): void {
  for (const [name, { description, discriminator }] of Object.entries(schemas))
    for (const [value, reference] of Object.entries(discriminator?.mapping ?? {})) {
      const member = schemas[nameIn(reference)];
      if (!member) continue;
      const variant = `The variant of \`${name}\` in which \`${discriminator?.propertyName}\` is \`${value}\`.`;
      member.description ??= [variant, description].filter(Boolean).join(' ');
    }
}

const nameIn = (reference = ''): string => reference.replace('#/components/schemas/', '');

function describeProperties(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as Schema;
  for (const [name, property] of Object.entries(properties ?? {})) {
    const description = property.$ref ? undefined : (property.description ?? commonMeaning(name, property));
    if (description) property.description = description;
  }
  for (const [keyword, inner] of Object.entries(value))
    if (keyword !== 'example' && keyword !== 'examples') describeProperties(inner);
}
