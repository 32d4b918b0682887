import { commonMeaning } from './descriptions.ts';
import { type OpenapiDocument, operationsOf, type Schema } from './document.ts';

/**
 * Describes what the contracts leave undescribed: properties by their values or their name, bodies of requests by their
 * operation, and members of a union by the text that tells them apart.
 */
export function describeSchemas(document: OpenapiDocument): void {
  describeBodies(document);
  describeMembers(document);
  describeProperties(document);
}

function describeBodies(document: OpenapiDocument): void {
  const { schemas } = document.components;
  for (const { requestBody, summary } of operationsOf(document))
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      const named = schemas[nameIn(schema.$ref)];
      if (named) named.description ??= `What is sent to: ${summary}`;
    }
}

function describeMembers({ components: { schemas } }: OpenapiDocument): void {
  for (const { description, discriminator } of Object.values(schemas))
    for (const [value, reference] of Object.entries(discriminator?.mapping ?? {})) {
      const member = schemas[nameIn(reference)];
      if (member) member.description ??= `\`${discriminator?.propertyName}\` is \`${value}\`. ${description}`;
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
