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
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components?: { schemas?: Record<string, Schema> };
}

interface Finding {
  message: string;
  path: (string | number)[];
}

/** Each looks at the document as it is written, with its references. */
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
