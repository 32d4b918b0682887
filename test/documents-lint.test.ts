import { readFileSync } from 'node:fs';
import spectral from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import {
  bodiesAreNamed,
  everythingIsDescribed,
  tagsHaveOneGroup,
  unionsAreToldApart,
} from './support/document-rules.ts';

const linter = new spectral.Spectral();
linter.setRuleset({
  extends: [rulesets.oas, rulesets.asyncapi],
  rules: {
    // The project speaks for no company: there is nobody to name.
    'info-contact': 'off',
    'asyncapi-info-contact': 'off',
    'bodies-are-named': bodiesAreNamed,
    'everything-is-described': everythingIsDescribed,
    'tags-have-one-group': tagsHaveOneGroup,
    'unions-are-told-apart': unionsAreToldApart,
  },
} as Parameters<typeof linter.setRuleset>[0]);

/** Also checks that every example matches its schema. */
test.each(['docs/openapi.json', 'docs/asyncapi.json'])(
  'a public linter reports nothing about %s',
  async (path) => {
    const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const findings = await linter.run(new spectral.Document(text, parsers.Json, path));
    expect(
      findings.map(({ code, path: where, message }) => `${code} ${where.join('.')}: ${message}`),
    ).toEqual([]);
  },
);

const get = {
  responses: {
    200: {
      description: 'x',
      content: { 'application/json': { schema: { type: 'integer' }, example: 'old' } },
    },
  },
};
const post = {
  requestBody: { content: { 'application/json': { schema: { type: 'object', description: 'x' } } } },
};
const variant = (kind: string) => ({ type: 'object', properties: { kind: { type: 'string', const: kind } } });
const union = { description: 'x', oneOf: [variant('person'), variant('bot')] };
const undescribed = { type: 'object' };
const property = { description: 'x', type: 'object', properties: { limit: { type: 'integer' } } };
const bots = { name: 'bots', description: 'x' };
const groups = [
  { name: 'Bots', tags: ['bots'] },
  { name: 'Others', tags: ['bots'] },
];

test.each([
  ['an example that its schema does not take', 'oas3-valid-media-example', { paths: { '/x': { get } } }],
  ['a body of a request without a name', 'bodies-are-named', { paths: { '/x': { post } } }],
  ['a union without a discriminator', 'unions-are-told-apart', { components: { schemas: { union } } }],
  ['a schema without a description', 'everything-is-described', { components: { schemas: { undescribed } } }],
  ['a property without a description', 'everything-is-described', { components: { schemas: { property } } }],
  ['a tag without a group', 'tags-have-one-group', { tags: [bots] }],
  ['a tag in two groups', 'tags-have-one-group', { tags: [bots], 'x-tagGroups': groups }],
])('the linter finds %s', async (_, code, part) => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1', description: 'x' },
    servers: [{ url: '/' }],
    paths: {},
    ...part,
  };
  const findings = await linter.run(JSON.stringify(document));
  expect(findings.map((finding) => finding.code)).toContain(code);
});
