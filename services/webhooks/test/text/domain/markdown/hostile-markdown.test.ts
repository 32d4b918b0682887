import { expect, test } from 'vitest';
import { formatReply } from '../../../../src/platforms/telegram/domain/format-reply.ts';
import { parseStrictHtml } from '../../../platforms/telegram/domain/strict-html.ts';

const size = 100_000;

function fill(pattern: string): string {
  return pattern.repeat(Math.ceil(size / pattern.length));
}

// Unprocessed, each takes marked 18 seconds, its whole stack or all memory.
const hostile: Record<string, string> = {
  'ten megabytes of brackets': '['.repeat(10_000_000),
  'quotes without end': fill('>'),
  'lists without end on one line': fill('1. '),
  'bullets without end on one line': `${fill('* ')}a`,
  'one list per line, each deeper': Array.from(
    { length: 300 },
    (_, depth) => `${'  '.repeat(depth)}- a`,
  ).join('\n'),
  'quotes and lists in turn': fill('> - '),
  'emphasis that never closes': fill('_a'),
  'emphasis of every kind': fill('**a*b_'),
  'emphasis of another script': fill('漢**'),
  'emphasis with spaces inside': fill('** a'),
  'formulas that never close': fill('$a'),
  'formulas nested without end': `$$${fill('\\frac{')}$$`,
  'elements that never close': fill('<b>'),
  'cells without a table': fill('<td>'),
  'lists of HTML within lists': fill('<ol><li>'),
  'footnotes without end': fill('[^1]'),
  'emphasis in many paragraphs': fill(`${'**a*b_'.repeat(80)}\n\n`),
  'emphasis nested without end': `${fill('_').slice(size / 2)}a${fill('_')}`,
  'an address without end': `${fill('a.')}@`,
  'comments that never close': fill('a <!-- '),
  'code spans that never close': fill('=  \\```'),
  'a list item with a line per letter': `- a\n${fill('b\n')}`,
  'a list item with long lines': `- a\n${fill('bbbbbbbbbb\n')}`,
  'a table wide and long': `${fill('|a').slice(size * 0.7)}|\n${fill('|-').slice(size * 0.7)}|\n${fill('a\n')}`,
  'links within links': `${'[a'.repeat(15_000)}${'](b)'.repeat(15_000)}`,
  'images within images': `${'![a'.repeat(100)}${'](http://e.com)'.repeat(100)}`,
  'one letter with all the accents': `a${fill('\u0301')}`,
  'families joined without end': fill('👨\u200d'),
  'a flag without end': fill('🇩'),
  'high surrogates only': fill('\ud800'),
  'references without end': fill('&#'),
  'carriage returns': fill('\r'),
};

test.each(Object.entries(hostile))('%s: ends, and every part is sound', (_, markdown) => {
  for (const { html, text } of formatReply(markdown)) {
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(parseStrictHtml(html).text).toBe(text);
  }
});
