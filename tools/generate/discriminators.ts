import { addSchema, capitalized, type OpenapiDocument, referTo, type Schema } from './document.ts';

/**
 * Names the members of each named union of objects that a common text tells apart, as `MessageAuthorPerson`, and says
 * in `discriminator` which text means which.
 */
export function nameUnionMembers(document: OpenapiDocument): void {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const members = schema.oneOf ?? [];
    const propertyName = commonLiteral(members);
    if (!propertyName) continue;
    const mapping = members.map((member) => {
      const value = String(member.properties?.[propertyName]?.const);
      const memberName = `${name}${capitalized(value)}`;
      addSchema(document, memberName, member);
      return [value, referTo(memberName)] as const;
    });
    schema.oneOf = mapping.map(([, reference]) => reference);
    schema.discriminator = {
      propertyName,
      mapping: Object.fromEntries(mapping.map(([value, { $ref = '' }]) => [value, $ref])),
    };
  }
}

/** The property that is another fixed text in each member. */
function commonLiteral(members: readonly Schema[]): string | undefined {
  return Object.keys(members[0]?.properties ?? {}).find((name) => {
    const values = members.map(({ properties }) => properties?.[name]?.const);
    return values.every((value) => typeof value === 'string') && new Set(values).size === members.length;
  });
}
