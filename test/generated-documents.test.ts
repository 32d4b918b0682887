import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientTypesFile, createClientTypes } from '../libs/client/generate/types.ts';
import { generatedDocuments } from '../tools/generate/documents.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the generated documents', () => {
  test.each([...generatedDocuments()])('%s is the output of `npm run generate`', (path, text) => {
    expect(read(path) === text, `${path} is out of date: run npm run generate`).toBe(true);
  });

  test("the client's types are the output of `npm run generate` for the OpenAPI document", async () => {
    const text = await createClientTypes(JSON.parse(read('docs/openapi.json')));
    expect(read(clientTypesFile) === text, 'they are out of date: run npm run generate').toBe(true);
  });

  test('are the same at every call', () => {
    expect([...generatedDocuments()]).toEqual([...generatedDocuments()]);
  });

  test('no response of the OpenAPI document is a 429, except those of webhooks', () => {
    const { paths } = JSON.parse(read('docs/openapi.json')) as {
      paths: Record<string, Record<string, { responses?: object }>>;
    };
    const limited = Object.entries(paths).filter(([, operations]) =>
      Object.values(operations).some(({ responses = {} }) => '429' in responses),
    );
    expect(limited.length).toBeGreaterThan(0);
    expect(limited.map(([path]) => path).filter((path) => !path.startsWith('/webhooks'))).toEqual([]);
  });

  test('an error of the OpenAPI document has `error` and `issues`, and nothing else', () => {
    const { components } = JSON.parse(read('docs/openapi.json'));
    expect(Object.keys(components.schemas.Error.properties)).toEqual(['error', 'issues']);
    expect(Object.keys(components.schemas.ErrorIssue.properties)).toEqual(['path', 'message']);
  });

  test('every reference of the OpenAPI document leads to something in it', () => {
    const document: unknown = JSON.parse(read('docs/openapi.json'));
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    const missing = references.filter((path) => {
      let found = document;
      for (const step of path.split('/')) found = (found as Record<string, unknown> | undefined)?.[step];
      return found === undefined;
    });
    expect(references.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});
