import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { withoutFormulas } from '../../../src/apps/domain/export-records.ts';

const hostile = [
  ...[
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '\u00a0=1',
    '\ufeff=1',
    '"=1',
    '＝1',
    '＠x',
  ],
  ...[
    'a;=1+1',
    'a,=1',
    'a\t=1',
    'a|=1',
    'a\r\n=1',
    'a;  =1',
    'a;"=1"',
    'a;;=1;+2,-3\t@4',
    '";=cmd|x"',
    ';',
    ',-',
  ],
];

test.each(hostile)('no separator yields a cell that begins like a formula: %j', (text) => {
  const line = stringify([['first', withoutFormulas(text), 'last']]);
  for (const separator of [/,/, /;/, /\t/, /\|/, /\r\n|\r|\n/])
    for (const cell of line.split(separator))
      expect(cell.replace(/^[\s"]+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/);
});

test('a cell that begins with a tab or a line break begins with an apostrophe', () => {
  for (const text of ['\tx', '\rx', '\nx']) expect(withoutFormulas(text)).toBe(`'${text}`);
});

test('other texts stay as they are', () => {
  for (const text of ['a-b', 'anna@acme.example', '1+1=2', 'a, b; c', '2026-03-01T12:00:00.000Z', "it's", ''])
    expect(withoutFormulas(text)).toBe(text);
});
