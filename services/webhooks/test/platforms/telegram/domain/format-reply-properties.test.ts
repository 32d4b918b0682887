import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatReply } from '../../../../src/platforms/telegram/domain/format-reply.ts';
import { parseStrictHtml } from './strict-html.ts';

const clusters = [
  'a',
  'Z',
  'é',
  'e\u0301',
  '😀',
  '👩‍👩‍👧',
  '🇩🇪',
  '👍🏽',
  '❤️',
  'שלום',
  'مرحبا',
  'नि',
  '한',
  '漢',
  '。',
  '\ud800',
  'x\u0336',
];
const marks = [
  '*',
  '**',
  '_',
  '~~',
  '`',
  '```',
  '\n```js\n',
  '\n',
  '\n\n',
  ' ',
  '  \n',
  '# ',
  '> ',
  '- ',
  '1. ',
  '[',
  '](',
  ')',
  '![',
  '<b>',
  '</b>',
  '<!--',
  '&',
  '&lt;',
  '&#42;',
  '&#1;',
  '&#xd800;',
  '|',
  '\n|-|-|\n',
  '\\',
  '\t',
  '---',
  'http://e.com',
  '"',
  '\u00a0',
  '. ',
];
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(...clusters),
      fc.constantFrom(...marks),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    {
      maxLength: 300,
    },
  )
  .map((pieces) => pieces.join(''));
const word = fc
  .array(fc.constantFrom(...clusters.filter((cluster) => cluster !== '\ud800')), {
    minLength: 1,
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));
const maxUnits = fc.oneof(fc.integer({ min: 16, max: 200 }), fc.constantFrom(1024, 4096));

type Known = { markdown: string; words: string[] };
const inlineShapes = ['@', '**@**', '*@*', '~~@~~', '`@`', '[@](http://e.com/1)', '**a `@` *b***', '@,'];
const inline: fc.Arbitrary<Known> = fc
  .array(fc.tuple(word, fc.constantFrom('@', '@', ...inlineShapes)), { minLength: 1, maxLength: 12 })
  .map((pieces) => ({
    markdown: pieces.map(([one, shape]) => shape.replace('@', () => one)).join(' '),
    words: pieces.map(([one, shape]) => (shape.startsWith('**a') ? `a${one}b` : one)),
  }));
const blockShapes = [
  '@',
  '# @',
  '- @',
  '1. @',
  '> @',
  '- a\n  - @',
  '```js\n@\n```',
  '| @ |\n|-|',
  '> - @',
  '---\n\n@',
];
const knownMarkdown: fc.Arbitrary<Known> = fc
  .array(fc.tuple(inline, word, fc.constantFrom(...blockShapes)), { minLength: 1, maxLength: 12 })
  .map((blocks) => ({
    markdown: blocks
      .map(([text, one, shape]) => shape.replace('@', () => (shape.startsWith('`') ? one : text.markdown)))
      .join('\n\n'),
    words: blocks.flatMap(([text, one, shape]) =>
      shape.startsWith('`') ? [one] : [shape.startsWith('- a') ? 'a' : '', ...text.words],
    ),
  }));

function textOf(parts: { text: string }[]): string {
  return parts.map((part) => part.text).join('');
}

/** Removes white space and invisible characters, which may be dropped at a cut. */
function seen(text: string): string {
  return text.replace(/[\s\p{Default_Ignorable_Code_Point}\u2800]/gu, '');
}

test('every part fits, has something to see, cuts no surrogate pair, and is HTML that shows exactly its text', () => {
  fc.assert(
    fc.property(markdown, maxUnits, (source, units) => {
      for (const { html, text } of formatReply(source, { maxUnits: units })) {
        const parsed = parseStrictHtml(html);
        expect(parsed.text).toBe(text);
        expect(parsed.entities).toBeLessThanOrEqual(100);
        expect(text.length).toBeLessThanOrEqual(units);
        expect(seen(text)).not.toBe('');
        expect(text.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30_000);
      }
    }),
    { numRuns: 1000 },
  );
});

test('an answer keeps every visible character, in order, for any cut', () => {
  fc.assert(
    fc.property(markdown, maxUnits, (source, units) => {
      const whole = textOf(formatReply(source));
      expect(seen(textOf(formatReply(source, { maxUnits: units })))).toBe(seen(whole));
    }),
    { numRuns: 1000 },
  );
});

test('every word of the answer is shown, in order', () => {
  fc.assert(
    fc.property(knownMarkdown, maxUnits, ({ markdown: source, words }, units) => {
      const shown = seen(textOf(formatReply(source, { maxUnits: units })));
      expect(shown.replace(/\(http:\/\/e\.com\/1\)|[•─|\-,>]|\d\./g, '')).toBe(seen(words.join('')));
    }),
    { numRuns: 500 },
  );
});

test('no character that people see as one is cut', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const segments = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), maxUnits, (words, units) => {
      const source = words.join('');
      expect(formatReply(source, { maxUnits: units }).flatMap((part) => segments(part.text))).toEqual(
        segments(source),
      );
    }),
    { numRuns: 500 },
  );
});

test('links lead only where a link may', () => {
  const target = fc.tuple(
    fc.constantFrom(
      'http://',
      'https://',
      'tg://',
      'javascript:',
      'JaVaScRiPt:',
      'data:',
      'file:///',
      '//',
      '',
      ' tel:',
    ),
    fc.string({ maxLength: 30 }),
  );
  fc.assert(
    fc.property(
      target,
      fc.constantFrom('[a](@)', '![a](<@>)', '<@>', '[a][1]\n\n[1]: @'),
      (pieces, shape) => {
        for (const { html } of formatReply(shape.replace('@', () => pieces.join('')))) {
          for (const href of parseStrictHtml(html).hrefs)
            expect(href).toMatch(/^(https?:\/\/|tg:|mailto:|tel:)\S*$/i);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
