import { expect, test } from 'vitest';
import { findJsonFault } from '../../src/http/json-fault.ts';

test.each([
  ['{"name": "Support",}', { line: 1, column: 20 }],
  ["{'name': 1}", { line: 1, column: 2 }],
  ['{\n  "name": "Support"\n  "enabled": true\n}', { line: 3, column: 3 }],
  ['{"name": "Supp', { line: 1, column: 15 }],
  ['{"name": "a\\q"}', { line: 1, column: 12 }],
  ['{"a": NaN}', { line: 1, column: 7 }],
  ['{"a": 01}', { line: 1, column: 7 }],
  ['{"a": [1, 2}', { line: 1, column: 12 }],
  ['{"a":1}{"b":2}', { line: 1, column: 8 }],
  ['', { line: 1, column: 1 }],
])('%s breaks at %o', (text, place) => {
  expect(findJsonFault(text)).toEqual(place);
});

/** Tokens, whole and broken, put together at random; a generator of one's own so that a failure can be repeated. */
function* texts(count: number) {
  const tokens = [
    ...'{}[],:"',
    '"a"',
    '0',
    '01',
    '-',
    '1.5e+3',
    '1.',
    'true',
    'nul',
    'null',
    ' ',
    '\n',
    '\\',
    '"\\u12"',
  ];
  let state = 7;
  const draw = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let made = 0; made < count; made += 1)
    yield Array.from({ length: 1 + draw(7) }, () => tokens[draw(tokens.length)]).join('');
}

test('a text has a fault exactly when the parser refuses it', () => {
  for (const text of texts(20_000)) {
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    expect(findJsonFault(text) === null, text).toBe(isJson);
  }
});

test('long and deep texts are looked at in one pass', () => {
  expect(findJsonFault('['.repeat(100_000))).toEqual({ line: 1, column: 100_001 });
  expect(findJsonFault(`{"a":"${'x'.repeat(1_000_000)}`)).toEqual({ line: 1, column: 1_000_007 });
});
