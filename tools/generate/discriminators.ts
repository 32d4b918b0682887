import { addSchema, capitalized, type OpenapiDocument, referTo, type Schema } from './document.ts';

/**
 * Names the members of each named union whose objects are identified by a constant property, such as
 * `MessageAuthorPerson`, and maps the constants to the members in `discriminator`.
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

/** The property that has a different string constant in each member. */
function commonLiteral(members: readonly Schema[]): string | undefined {
  return Object.keys(members[0]?.properties ?? {}).find((name) => {
    const values = members.map(({ properties }) => properties?.[name]?.const);
    return values.every((value) => typeof value === 'string') && new Set(values).size === members.length;
  });
}
