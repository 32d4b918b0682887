import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

const heading = '// Made from docs/openapi.json by `npm run generate`. Changes here are overwritten.\n\n';

/** Path, from the root of the repository, of the types that the client is made of. */
export const clientTypesFile = 'libs/client/generated/openapi.ts';

/** TypeScript types of an OpenAPI document; the same text at every call. */
export async function createClientTypes(document: object): Promise<string> {
  const nodes = await openapiTypescript(document as unknown as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
  });
  return `${heading}${astToString(nodes)}`;
}
