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
  /** The form of an operation that also takes JSON. */
  isForm: boolean;
  media: { schema: Schema };
}

/**
 * Makes each request body a named schema, such as `CreateBotRequest` for `createBot`. Operations with identical bodies
 * share one, named after the operation with the shortest name. A body whose contract sets an `id` keeps it.
 */
export function nameRequestBodies(document: OpenapiDocument): void {
  for (const uses of sameBodies(document)) {
    const [shortest] = uses
      .map(({ operationId }) => operationId)
      .sort((left, right) => left.length - right.length);
    const name = `${capitalized(shortest ?? '')}${uses[0]?.isForm ? 'Form' : 'Request'}`;
    addSchema(document, name, uses[0]?.media.schema ?? {});
    for (const { media } of uses) media.schema = referTo(name);
  }
}

function sameBodies(document: OpenapiDocument): Iterable<Use[]> {
  const uses = operationsOf(document).flatMap(({ operationId, requestBody }) =>
    Object.entries(requestBody?.content ?? {}).map(([type, media]) => {
      const isForm = type === 'multipart/form-data' && 'application/json' in (requestBody?.content ?? {});
      return { operationId, isForm, media };
    }),
  );
  const inline = uses.filter(({ media }) => !media.schema.$ref);
  return Map.groupBy(inline, ({ media }) => JSON.stringify(media.schema)).values();
}
