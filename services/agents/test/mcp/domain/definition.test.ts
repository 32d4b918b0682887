import { expect, test } from 'vitest';
import { pinTool } from '../../../src/mcp/domain/definition.ts';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
const tool = {
  name: 'echo',
  title: 'Echo',
  description: 'Repeats.',
  inputSchema,
  annotations: { readOnlyHint: true },
};
const pinOf = (changes: object) => pinTool({ ...tool, ...changes }).pin;

test('the pin is the same for the same definition, in whatever order it is written', () => {
  const { annotations, ...rest } = tool;
  expect(pinTool({ annotations, ...rest }).pin).toBe(pinOf({}));
  expect(pinOf({})).toMatch(/^[0-9a-f]{64}$/);
});

test('the pin changes with name, title, description, schemas and annotations, and with nothing else', () => {
  const changed = [
    { name: 'echo2' },
    { title: 'Echo ' },
    { description: 'Repeats.\u202e' },
    { inputSchema: { ...inputSchema, required: ['text'] } },
    { outputSchema: { type: 'object' } },
    { annotations: {} },
  ];
  const pins = [{}, ...changed].map(pinOf);
  expect(new Set(pins).size).toBe(pins.length);
  expect(pinOf({ icons: [{ src: 'https://tracker.example/' }], _meta: { a: 1 }, execution: {} })).toBe(
    pinOf({}),
  );
});

test('names other than 1 to 128 of A-Za-z0-9_.- are refused, and never taken for another name', () => {
  for (const name of ['', 'a b', 'a/b', 'écho', 'echo\u200b', 'x'.repeat(129), 'a\0b', 7]) {
    const refused = pinTool({ ...tool, name });
    expect(refused).toMatchObject({ definition: '', pin: '', refusal: expect.stringContaining('name') });
    expect(refused.name).toMatch(/^[^\0\u200b]{0,101}…$/u);
  }
  for (const name of ['a', 'x'.repeat(128), 'A-Z_a.z-0'])
    expect(pinTool({ ...tool, name })).toMatchObject({ name, refusal: null });
});

const deep = (levels: number): object =>
  levels === 0 ? {} : { type: 'object', properties: deep(levels - 1) };

test.each([
  ['levels', deep(40)],
  ['another document', { type: 'object', properties: { a: { $ref: 'https://evil.example/schema' } } }],
  ['another document', { type: 'object', properties: { a: { $ref: '#anchor' } } }],
  ['circle', { type: 'object', properties: { a: { $ref: '#' } } }],
  [
    'circle',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { anyOf: [{ $ref: '#/%24defs/a' }] } },
    },
  ],
  [
    'references',
    {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, { $ref: '#/$defs/a' }])),
      $defs: { a: {} },
    },
  ],
  ['no object', { type: 'string' }],
  ['no object', undefined],
  ['32 KiB', { type: 'object', description: 'x'.repeat(40_000) }],
])('a schema is refused for its %s', (reason, schema) => {
  expect(pinTool({ ...tool, inputSchema: schema }).refusal).toContain(reason);
});

test('references to definitions of the same schema are fine', () => {
  const $defs = { a: { type: 'string' }, b: { items: { $ref: '#/$defs/a' } } };
  const properties = { one: { $ref: '#/$defs/a' }, two: { $ref: '#/$defs/b' }, three: { $ref: '#/$defs/b' } };
  expect(pinTool({ ...tool, inputSchema: { type: 'object', properties, $defs } }).refusal).toBe(null);
});

test('whatever a server lists, it is pinned or refused', () => {
  for (const listed of [
    null,
    'echo',
    7,
    [],
    {},
    { name: 'a' },
    { ...tool, title: 1 },
    { ...tool, annotations: 'x' },
  ])
    expect(pinTool(listed)).toMatchObject({ pin: '', refusal: expect.any(String) });
});
