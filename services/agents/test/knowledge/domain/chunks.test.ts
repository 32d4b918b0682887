import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxUnitsOfPassage, passagesOf } from '../../../src/knowledge/domain/chunks.ts';

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(' ', '\n', '\n\n', '. ', '😀', 'é́', '。', '\u00a0', 'مرحبا ', '👩‍👩‍👧‍👦'),
      fc.string({ unit: fc.constantFrom('x', '𝒳'), minLength: 900, maxLength: 1300 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const cut = (given: string) => passagesOf([{ heading: 'h', text: given }]);

describe('passages', () => {
  test('contain everything but space, in order, and each matches its position in the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        const passages = cut(given);
        const covered = new Uint8Array(given.length);
        for (const passage of passages) {
          expect(passage.text).toBe(given.slice(passage.start, passage.end));
          covered.fill(1, passage.start, passage.end);
        }
        const lost = [...covered.keys()].filter((at) => !covered[at] && /\S/.test(given[at]!));
        expect(lost).toEqual([]);
        const starts = passages.map(({ start }) => start);
        expect(starts).toEqual([...new Set(starts)].sort((left, right) => left - right));
      }),
      { numRuns: 300 },
    );
  });

  test('are bounded, never empty, and cut no character in two', () => {
    fc.assert(
      fc.property(text, (given) => {
        const wellFormed = given.toWellFormed();
        for (const passage of cut(wellFormed)) {
          expect(passage.text.length).toBeGreaterThan(0);
          expect(passage.text.length).toBeLessThanOrEqual(maxUnitsOfPassage);
          expect(passage.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('end at a paragraph where there is one, and then repeat nothing', () => {
    const paragraph = `${'word '.repeat(150).trim()}.`;
    expect(cut([paragraph, paragraph, paragraph].join('\n\n')).map((passage) => passage.text)).toEqual([
      paragraph,
      paragraph,
      paragraph,
    ]);
  });

  test('repeat some words where a paragraph is cut, so that no phrase is lost between two', () => {
    const words = Array.from({ length: 500 }, (_, index) => `w${index}`);
    const passages = cut(words.join(' '));
    expect(passages.length).toBeGreaterThan(2);
    for (const [index, passage] of passages.slice(1).entries()) {
      expect(passage.start).toBeLessThan(passages[index]!.end);
      expect(passages[index]!.end - passage.start).toBeLessThanOrEqual(121);
    }
  });

  test('are created quickly from ten million characters without a space', () => {
    const before = process.cpuUsage();
    expect(cut('x'.repeat(10_000_000))).toHaveLength(10_000);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
