import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { baseSet } from '../../../src/policies/domain/base-set.ts';
import { maxBytesDecided, policyLimits, setLimits, smallSet } from '../../../src/policies/domain/limits.ts';
import { findExcesses, findSetExcess, sizeOf, weighPolicy } from '../../../src/policies/domain/weigh.ts';
import { sampleRequests } from '../../../src/policies/domain/worst-case.ts';

const when = (condition: string) => `forbid(principal is Person, action, resource) when { ${condition} };`;

describe('a policy is weighed', () => {
  test.each([
    ['literals', when('principal.name == "abc" || "de" == "f"'), { literal: 3, patterns: 0, depth: 1 }],
    [
      'patterns',
      when('principal.name like "a*b*" || principal.name like\n // "x"\n "*\\*"'),
      {
        patterns: 7,
        longestPattern: 4,
        wildcards: 2,
      },
    ],
    ['words that only contain "like"', when('principal.liked == "abc"'), { literal: 3, patterns: 0 }],
    ['escaped quotes', when(String.raw`principal.name == "a\"like \"b"`), { literal: 11, patterns: 0 }],
    ['brackets', when('([[1], [{a: (2)}]]).isEmpty()'), { depth: 6 }],
    ['brackets in strings and comments', `// (((\n${when('principal.name == "((("')}`, { depth: 1 }],
    ['bytes', when('principal.name == "žluť"'), { bytes: 82 }],
    ['what never ends', 'permit("abc', { literal: 3 }],
    ['nothing', '', { bytes: 0, literal: 0, depth: 0 }],
  ])('%s', (_what, text, expected) => {
    expect(weighPolicy(text)).toMatchObject(expected);
  });

  const most = policyLimits;
  test.each([
    [
      'a long string',
      when(`principal.name == "${'x'.repeat(most.literal)}"`),
      when(`"${'x'.repeat(501)}" == ""`),
    ],
    [
      'a long pattern',
      when(`principal.name like "${'x'.repeat(most.pattern)}"`),
      when(`principal.name like "${'x'.repeat(201)}"`),
    ],
    [
      'many wildcards',
      when(`principal.name like "${'x*'.repeat(most.wildcards)}"`),
      when(`principal.name like "${'x*'.repeat(9)}"`),
    ],
    [
      'deep brackets',
      when(`${'('.repeat(49)}true${')'.repeat(49)}`),
      when(`${'('.repeat(50)}true${')'.repeat(50)}`),
    ],
  ])('and one with %s is refused by one too many', (_what, last, first) => {
    expect(findExcesses(weighPolicy(last))).toEqual([]);
    expect(findExcesses(weighPolicy(first))).toEqual([
      expect.stringMatching(/^has \d+ .*; at most \d+ are allowed$/),
    ]);
  });
});

describe('a set is weighed', () => {
  const named = (text: string, index = 0) => ({ name: `policy ${index}`, text });
  const padded = (bytes: number) => '// '.padEnd(bytes, 'x');
  const patterns = (count: number) => when(`principal.name like "${'x'.repeat(200)}"${' '.repeat(count)}`);

  test('and the largest policy is named when the total is too large', () => {
    const set = Array.from({ length: 13 }, (_none, index) => named(padded(10_000 + index), index));
    expect(findSetExcess(set, [])).toBeUndefined();
    const more = [...set, named(padded(10_000), 13)];
    expect(findSetExcess(more, set)).toMatch(
      /have 140078 bytes of text in all, and at most 131072 .*"policy 12"/,
    );
    const many = Array.from({ length: 41 }, (_none, index) => named(patterns(index), index));
    expect(findSetExcess(many.slice(1), [])).toBeUndefined();
    expect(findSetExcess(many, [])).toMatch(/8200 characters in patterns .* at most 8000/);
  });

  test('and a change that shrinks a set from before the limits is accepted', () => {
    const before = Array.from({ length: 30 }, (_none, index) => named(padded(10_000), index));
    expect(findSetExcess(before.slice(1), before)).toBeUndefined();
    expect(findSetExcess([...before.slice(1), named(padded(10_001))], before)).toMatch(/bytes of text/);
  });

  test.each([
    ['nothing', [], 'small'],
    ['the built-in set', baseSet.map(({ text }) => text), 'small'],
    ['100 short ones', Array.from({ length: 100 }, () => when('true')), 'large'],
    ['much text', [padded(smallSet.bytes + 1)], 'large'],
    ['many patterns', Array.from({ length: 3 }, () => patterns(0)), 'large'],
    ['a literal of before the limits', [when(`"${'a'.repeat(1000)}" like "*b*"`)], 'large'],
    ['what could be saved at most', [padded(setLimits.bytes)], 'large'],
    ['what could never be saved', Array.from({ length: 27 }, () => padded(10_000)), 'too large'],
  ])('and %s is decided where it belongs', (_what, texts, size) => {
    expect(sizeOf(texts)).toBe(size);
    if (size === 'too large') expect(texts.join('').length).toBeGreaterThan(maxBytesDecided);
  });
});

const units = {
  'quotation marks': '"',
  'quotation marks and backslashes': '"\\',
  backslashes: '\\',
  slashes: '/',
  'comments that begin': '//"',
  brackets: '(',
  'closing brackets': ')]}',
  patterns: 'like "*a*" ',
  'patterns that begin': 'like "',
  'like and spaces': 'like  ',
  'wildcards in one pattern': '*',
  words: 'like',
  'emoji and marks': '💥e\u0301',
};
const readers: Record<string, (text: string) => unknown> = {
  weighPolicy,
  'worst-case samples': (text) =>
    sampleRequests([text, `permit(principal,action,resource) when { "" like "${text}" };`]),
};
const cells = Object.entries(readers).flatMap(([reader, read]) =>
  Object.entries(units).map(([what, unit]) => ({ reader, read, what, unit })),
);

test.each(cells)('C-01: $reader reads $what in linear time', async ({ read, unit }) => {
  const growth = await measureGrowth({
    make: (size) => unit.repeat(Math.ceil(size / unit.length)),
    read,
    // All four sizes are objects of the large heap: smaller ones cost less for each byte, which says nothing about the
    // reader.
    size: 200_000,
  });
  expect(growth.perByte).toBeLessThan(maxGrowth);
});
