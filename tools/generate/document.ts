/** A JSON Schema in the document. */
export interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

interface Operation {
  operationId: string;
  summary: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The parts of `docs/openapi.json` that are changed after zod-openapi has created it. */
export interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const referTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const operationsOf = ({ paths }: OpenapiDocument): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

/** Adds a named schema. @throws Error if the name is taken. */
export function addSchema({ components }: OpenapiDocument, name: string, schema: Schema): void {
  if (name in components.schemas) throw new Error(`two schemas of the document are named ${name}`);
  components.schemas[name] = schema;
}

export const capitalized = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;
