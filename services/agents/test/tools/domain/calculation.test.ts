import { describe, expect, test } from 'vitest';
import { CalculationError, createCalculation } from '../../../src/tools/domain/calculation.ts';

const calculate = createCalculation();

test.each([
  ['0.1 + 0.2', '0.3'],
  ['19.99 * 3', '59.97'],
  ['12 * (3 + 4.5) ^ 2', '675'],
  ['2 ^ 100', '1267650600228229401496703205376'],
  ['12345678901234567890 * 98765432109876543210', '1219326311370217952237463801111263526900'],
  ['1 / 3', '0.33333333333333333333333333333333'],
  ['100 + 10%', '110'],
  ['7 mod 3', '1'],
  ['sin(pi / 6)', '0.5'],
  ['sqrt(-1)', 'i'],
  ['max(1, 2, median(3, 5, 9))', '5'],
  ['5!', '120'],
  ['5 inch to cm', '12.7 cm'],
  ['20 celsius to fahrenheit', '68 fahrenheit'],
  ['2 < 3', 'true'],
])('%s = %s', (expression, result) => expect(calculate(expression)).toBe(result));

describe('refused', () => {
  test.each([
    ...[
      'import("fs")',
      'evaluate("1")',
      'parse("1")',
      'createUnit("foo")',
      'config({})',
      'help(1)',
      'random()',
    ],
    ...['simplify("x")', 'derivative("x", "x")', 'resolve(1)', 'format(1)', 'typed("x")', 'ones(1e9)'],
    ...['f(x) = x', 'a = 1', '1; 2', '[1, 2, 3]', '1:1e9', '{a: 1}', '"text"', 'range(1, 1e9)', 'bin(5)'],
    ...['cos', 'cos.constructor', 'cos.constructor("return process")()', '(1).constructor', 'a["b"]', 'this'],
    ...[
      'constructor',
      '__proto__',
      'prototype',
      'process',
      'require',
      'globalThis',
      'toString()',
      'valueOf()',
    ],
    ...[
      'hasOwnProperty(1)',
      'constructor(1)',
      '1 ? 2 : 3',
      '(x)(1)',
      'not 1',
      '5 & 3',
      "[1]'",
      'kg.toJSON()',
    ],
    ...[
      '',
      '(',
      '1 +',
      '%',
      '\0',
      '🧮',
      `${'('.repeat(249)}1`,
      '1 / 0',
      '0 / 0',
      '9^9^9^9',
      'log(0)',
      '5 kg + 1 m',
    ],
  ])('%j', (expression) => expect(() => calculate(expression)).toThrow(CalculationError));

  test('assignments and definitions, without an effect', () => {
    for (const expression of ['pi = 3', 'f(x) = 1', 'createUnit("foo")'])
      expect(() => calculate(expression)).toThrow(CalculationError);
    expect(calculate('floor(pi * 100)')).toBe('314');
  });
});
