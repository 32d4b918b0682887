import {
  addSchema,
  capitalized,
  type OpenapiDocument,
  operationsOf,
  referTo,
  type Schema,
} from './document.ts';

interface Use {
  operationId: string;
  media: { schema: Schema };
}

/**
 * Makes each body of a request a named schema: `CreateBotRequest` of `createBot`. Operations that take the same have
 * one, named after the shortest of their names. A contract whose body has an `id` of its own keeps that.
 */
export function nameRequestBodies(document: OpenapiDocument): void {
  for (const uses of sameBodies(document)) {
    const [shortest] = uses
      .map(({ operationId }) => operationId)
      .sort((left, right) => left.length - right.length);
    const name = `${capitalized(shortest ?? '')}Request`;
    addSchema(document, name, uses[0]?.media.schema ?? {});
    for (const { media } of uses) media.schema = referTo(name);
  }
}

function sameBodies(document: OpenapiDocument): Iterable<Use[]> {
  const uses = operationsOf(document).flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((media) => ({ operationId, media })),
  );
  const inline = uses.filter(({ media }) => !media.schema.$ref);
  return Map.groupBy(inline, ({ media }) => JSON.stringify(media.schema)).values();
}
