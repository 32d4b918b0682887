import { readFileSync } from 'node:fs';
import spectral from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';

const linter = new spectral.Spectral();
linter.setRuleset({
  extends: [rulesets.oas, rulesets.asyncapi],
  // The project speaks for no company: there is nobody to name.
  rules: { 'info-contact': 'off', 'asyncapi-info-contact': 'off' },
} as Parameters<typeof linter.setRuleset>[0]);

/** Also that every example is what its schema takes. */
test.each(['docs/openapi.json', 'docs/asyncapi.json'])(
  'a public linter finds nothing to say about %s',
  async (path) => {
    const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const found = await linter.run(new spectral.Document(text, parsers.Json, path));
    expect(found.map(({ code, path: where, message }) => `${code} ${where.join('.')}: ${message}`)).toEqual(
      [],
    );
  },
);

test('the linter finds an example that its schema does not take', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1', description: 'x' },
    servers: [{ url: '/' }],
    paths: {
      '/x': {
        get: {
          responses: {
            200: {
              description: 'x',
              content: { 'application/json': { schema: { type: 'integer' }, example: 'old' } },
            },
          },
        },
      },
    },
  };
  const found = await linter.run(JSON.stringify(document));
  expect(found.map(({ code }) => code)).toContain('oas3-valid-media-example');
});
