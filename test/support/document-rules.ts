/** Rules of Spectral for `docs/openapi.json`, beside the public ones. */

interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  const?: unknown;
  description?: string;
  discriminator?: unknown;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface Openapi {
  openapi?: string;
  tags?: { name: string }[];
  'x-tagGroups'?: { name: string; tags: string[] }[];
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components?: { schemas?: Record<string, Schema> };
}

interface Finding {
  message: string;
  path: readonly (string | number)[];
}

/** Each rule checks the document with its references unresolved. */
const ruleOf = (message: string, find: (document: Openapi) => Finding['path'][]) => ({
  given: '$',
  resolved: false,
  severity: 'error',
  message: `${message}: {{path}}`,
  // biome-ignore lint/suspicious/noThenProperty: the word of Spectral.
  then: {
    function: (document: Openapi): Finding[] =>
      document.openapi === undefined ? [] : find(document).map((path) => ({ message, path })),
  },
});

export const bodiesAreNamed = ruleOf('a body of a request has no name', ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      Object.entries(requestBody?.content ?? {})
        .filter(([, { schema }]) => schema.$ref === undefined)
        .map(([type]) => ['paths', path, method, 'requestBody', 'content', type, 'schema']),
    ),
  ),
);

/** The property that is another fixed text in each member of a union. */
const commonLiteral = (members: readonly Schema[]): string | undefined =>
  Object.keys(members[0]?.properties ?? {}).find((name) => {
    const values = members.map(({ properties }) => properties?.[name]?.const);
    return values.every((value) => typeof value === 'string') && new Set(values).size === members.length;
  });

/** Every schema of the document, with those in it. */
const allSchemas = (document: Openapi): [Finding['path'], Schema][] => walk(document, []);

function walk(value: unknown, path: Finding['path']): [Finding['path'], Schema][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value)
    .filter(([name]) => name !== 'example' && name !== 'examples')
    .flatMap(([name, below]) => walk(below, [...path, Array.isArray(value) ? Number(name) : name]));
  return [[path, value as Schema], ...inner];
}

export const unionsAreToldApart = ruleOf('a union of objects has no discriminator', (document) =>
  allSchemas(document)
    .filter(([, { oneOf, discriminator }]) => Array.isArray(oneOf) && !discriminator && commonLiteral(oneOf))
    .map(([path]) => path),
);

export const tagsHaveOneGroup = ruleOf('a tag is not in exactly one group', (document) => {
  const grouped = (document['x-tagGroups'] ?? []).flatMap(({ tags }) => tags);
  return (document.tags ?? []).flatMap(({ name }, at) =>
    grouped.filter((tag) => tag === name).length === 1 ? [] : [['tags', at]],
  );
});

/** A property that is a bare reference has the description of its target. */
export const everythingIsDescribed = ruleOf('a schema or property has no description', (document) => {
  const named = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => [['components', 'schemas', name], schema] as const,
  );
  const properties = allSchemas(document).flatMap(([path, schema]) =>
    Object.entries(schema.properties ?? {}).map(
      ([name, property]) => [[...path, 'properties', name], property] as const,
    ),
  );
  return [...named, ...properties]
    .filter(([, { description, $ref }]) => !description && !$ref)
    .map(([path]) => path);
});
