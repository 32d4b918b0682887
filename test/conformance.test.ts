import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, root } from './support/sources.ts';

const page = readText('docs/conformance.md');
const [sentences = '', endpoints = ''] = page.split('## The endpoints of section 4');
const document = JSON.parse(readText('docs/openapi.json')) as {
  paths: Record<string, Record<string, { responses?: Record<string, unknown>; summary?: string }>>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
};

/** Paths without the names of their parameters, which don't matter here. */
const shapeOf = (path: string): string => path.replace(/:\w+|\{\w+\}/g, '{}');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses = {} }]) => ({
    path,
    operation: `${method.toUpperCase()} ${shapeOf(path)}`,
    statuses: Object.keys(responses),
  })),
);

/** An entry of the page with the tests that it names: words of a name after the link to a file. */
const entries = [...sentences.matchAll(/^- \*\*([\d.]+-\d+)\*\* (.*?)(?=^- |^## )/gms)].map(
  ([, id = '', text = '']) => ({ id, text: text.replace(/\s+/g, ' ') }),
);

test('the page has an entry for every section that binds the service', () => {
  expect(new Set(entries.map(({ id }) => id[0]))).toEqual(new Set([...'123456789']));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
});

test.each(entries)('$id names tests that are in the suite', ({ text }) => {
  const named = [...text.matchAll(/\]\(\.\.\/([^)]+)\)((?:,? "[^"]+")+)/g)].flatMap(
    ([, path = '', words = '']) => [...words.matchAll(/"([^"]+)"/g)].map(([, word = '']) => ({ path, word })),
  );
  expect(named).not.toEqual([]);
  const missing = named.filter(
    ({ path, word }) => !existsSync(join(root, path)) || !readText(path).includes(word),
  );
  expect(missing).toEqual([]);
});

test('every endpoint of the specification is in the OpenAPI document', () => {
  const operationNames = new Set(operations.map(({ operation }) => operation));
  const wanted = [...endpoints.matchAll(/^[A-Z]+ \/\S+$/gm)].map(([line]) => shapeOf(line));
  expect(wanted.length).toBeGreaterThan(120);
  expect(wanted.filter((operation) => !operationNames.has(operation))).toEqual([]);
});

test('every router of the specification is in the OpenAPI document', () => {
  const bases = [...endpoints.matchAll(/`(\/api\/[\w/-]+)`/g)].map(([, base = '']) => base);
  const paths = Object.keys(document.paths);
  expect(bases.length).toBeGreaterThan(20);
  expect(bases.filter((base) => !paths.some((path) => path === base || path.startsWith(`${base}/`)))).toEqual(
    [],
  );
});

test('no path has a version', () => {
  const versioned = operations.filter(
    ({ path }) => /\/v\d+(\/|$)/.test(path) && !path.startsWith('/api/otel/'),
  );
  expect(versioned).toEqual([]);
});

test('429 is an answer of webhooks alone', () => {
  const limited = operations.filter(
    ({ path, statuses }) => statuses.includes('429') && !path.startsWith('/webhooks'),
  );
  expect(limited.map(({ operation }) => operation)).toEqual([]);
});

test('an error body has an error and, after a failed validation, issues', () => {
  const bodies = Object.entries(document.components.schemas).filter(
    ([, { properties }]) => properties?.error,
  );
  expect(bodies.length).toBeGreaterThan(0);
  for (const [name, { properties }] of bodies)
    expect(['error', 'issues', 'trace'], name).toEqual(expect.arrayContaining(Object.keys(properties ?? {})));
});

test('no endpoint issues a token of the service', () => {
  expect(operations.filter(({ path }) => /\/(api-)?tokens(\/|$)/.test(path))).toEqual([]);
});

test('no endpoint subscribes an address to events', () => {
  const subscribing = operations.filter(({ path }) => /subscri|outbound-webhook/.test(path));
  expect(subscribing).toEqual([]);
});
