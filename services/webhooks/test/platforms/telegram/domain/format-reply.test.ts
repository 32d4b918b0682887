import { expect, test } from 'vitest';
import { formatReply } from '../../../../src/platforms/telegram/domain/format-reply.ts';
import { parseStrictHtml } from './strict-html.ts';

const examples: [markdown: string, html: string][] = [
  ['plain', 'plain'],
  ['a & b < c > d "e"', 'a &amp; b &lt; c &gt; d &quot;e&quot;'],
  ['a\nb  \nc\n\n\n\nd', 'a\nb\nc\n\nd'],
  ['**b** *i* ~~s~~ `c`', '<b>b</b> <i>i</i> <s>s</s> <code>c</code>'],
  ['**a *b* c**', '<b>a <i>b</i> c</b>'],
  ['**a `b` c**', '<b>a </b><code>b</code><b> c</b>'],
  ['# One\ntext\n\nTwo\n---', '<b>One</b>\n\ntext\n\n<b>Two</b>'],
  ['a\n\n***\n\nb', 'a\n\n──────────\n\nb'],
  ['- a\n- b\n  - c\n- d', '• a\n• b\n  • c\n• d'],
  ['3. a\n4. b\n   1. c', '3. a\n4. b\n   1. c'],
  ['- a\n\n  b\n\n- c', '• a\n\n  b\n\n• c'],
  ['- [ ] a\n- [x] b', '☐ a\n☑ b'],
  ['- a\n  ```\n  c\n  ```', '• a\n<pre>c</pre>'],
  ['> a\n>\n> b\n\nc', '<blockquote>a\n\nb</blockquote>\n\nc'],
  ['> a\n>> b', '<blockquote>a\n\n&gt; b</blockquote>'],
  ['> **a**\n> `b`', '<blockquote><b>a</b>\n<code>b</code></blockquote>'],
  [
    '```js\nif (a < b) {\n\tc\n}\n```',
    '<pre><code class="language-js">if (a &lt; b) {\n    c\n}</code></pre>',
  ],
  ['```c++ title="x"\na\n```', '<pre><code class="language-c++">a</code></pre>'],
  ['```"><b>\na\n```', '<pre>a</pre>'],
  ['~~~\n**a**\n', '<pre>**a**</pre>'],
  ['| a | bb |\n|--|-:|\n| ccc | d |', '<pre>a   | bb\n----+---\nccc |  d</pre>'],
  [
    '| a |\n|:-:|\n| 漢字 `x` |\n| [l](http://e.com) |',
    '<pre>       a\n----------------\n     漢字 x\nl (http://e.com)</pre>',
  ],
  ['[a](https://e.com/?b=1&c="2")', '<a href="https://e.com/?b=1&amp;c=&quot;2&quot;">a</a>'],
  ['[**a**](tg://user?id=1)', '<a href="tg://user?id=1"><b>a</b></a>'],
  ['[`a`](http://e.com)', '<a href="http://e.com">a</a>'],
  ['[](http://e.com)', '<a href="http://e.com">http://e.com</a>'],
  ['[a][1]\n\n[1]: http://e.com', '<a href="http://e.com">a</a>'],
  ['[a](<http://e.com/b c>)', '<a href="http://e.com/b%20c">a</a>'],
  ['[us](mailto:a@e.com)', '<a href="mailto:a@e.com">us</a> (a@e.com)'],
  ['[us](tel:+123)', '<a href="tel:+123">us</a> (+123)'],
  ['https://e.com/a_b_c www.e.com <a@e.com>', 'https://e.com/a_b_c www.e.com a@e.com'],
  ['[a](javascript:alert(1))', 'a (javascript:alert(1))'],
  ['[a](./b.md)', 'a (./b.md)'],
  ['![a](http://e.com/a.png)', '<a href="http://e.com/a.png">a</a>'],
  ['![](http://e.com/a.png)', '<a href="http://e.com/a.png">http://e.com/a.png</a>'],
  ['![a](data:image/png;base64,AAAA)', 'a'],
  ['[![a](http://e.com/a.png)](http://e.com)', '<a href="http://e.com">a</a>'],
  ['<b>a</b><script>x</script>', '<b>a</b>&lt;script&gt;x&lt;/script&gt;'],
  ['<div>\n**a**\n</div>', '<b>a</b>'],
  [
    'a &lt;b&gt; &#42; &#x1F600; &nope; &#1; `&lt;`',
    'a &lt;b&gt; * 😀 &amp;nope; &amp;#1; <code>&amp;lt;</code>',
  ],
  ['a & b &#42; &amp;lt; &#xd800;', 'a &amp; b * &amp;lt; &amp;#xd800;'],
  ['\\*a\\*', '*a*'],
  ['a\r\nb\rc\0d', 'a\nb\nc d'],
  ['[a]: http://e.com', '[a]: http://e.com'],
  ['```\n```', '```\n```'],
  ['#', '#'],
];

test.each(examples)('%j becomes %j', (markdown, html) => {
  expect(formatReply(markdown)).toEqual([{ html, text: parseStrictHtml(html).text }]);
});

test.each(['', ' \n\t\r\n', '\u200b\u2060', '\0'])('%j has nothing to see and gives no part', (markdown) => {
  expect(formatReply(markdown)).toEqual([]);
});

function split(markdown: string, maxUnits: number): string[] {
  return formatReply(markdown, { maxUnits }).map((part) => part.html);
}

test('a part ends at a paragraph, else a line, else a sentence, else a word, else anywhere', () => {
  expect(split('one two\nthree\n\nfour five six', 20)).toEqual(['one two\nthree', 'four five six']);
  expect(split('one two\nthree four five six', 20)).toEqual(['one two', 'three four five six']);
  expect(split('One two. Three four five six.', 20)).toEqual(['One two.', 'Three four five six.']);
  expect(split('一二三四五六七八。九十一二三四五六七八', 16)).toEqual([
    '一二三四五六七八。',
    '九十一二三四五六七八',
  ]);
  expect(split('one two three four five', 16)).toEqual(['one two three', 'four five']);
  expect(split('abcdefghijklmnopqrstuvwxyz', 16)).toEqual(['abcdefghijklmnop', 'qrstuvwxyz']);
});

test('a part is filled to a quarter rather than cut at the best place', () => {
  expect(split('A\n\nbb ccccc dddd eeeeee', 16)).toEqual(['A\n\nbb ccccc dddd', 'eeeeee']);
});

test('formatting and code blocks continue in the next part', () => {
  expect(split('**one *two three four five***', 16)).toEqual([
    '<b>one <i>two three</i></b>',
    '<b><i>four five</i></b>',
  ]);
  const code = '```py\nif a:\n    b = 1\n    c = 2\n```';
  expect(split(code, 16)).toEqual([
    '<pre><code class="language-py">if a:\n    b = 1</code></pre>',
    '<pre><code class="language-py">    c = 2</code></pre>',
  ]);
  expect(split('> one two three\n> four five', 16)).toEqual([
    '<blockquote>one two three</blockquote>',
    '<blockquote>four five</blockquote>',
  ]);
});

test('a message holds 4096 units, for any size of their escapes', () => {
  expect(formatReply('a'.repeat(4096))).toHaveLength(1);
  expect(formatReply('a'.repeat(4097)).map((part) => part.text.length)).toEqual([4096, 1]);
  expect(formatReply('"'.repeat(4096))).toHaveLength(1);
  expect(formatReply('😀'.repeat(2049)).map((part) => part.text.length)).toEqual([4096, 2]);
});

test('a message holds at most 100 entities and 30,000 bytes of HTML', () => {
  const bold = formatReply('**a** '.repeat(250)).map((part) => parseStrictHtml(part.html).entities);
  expect(bold).toEqual([100, 100, 50]);
  const links = formatReply(`[a](http://e.com/${'b'.repeat(2000)}) `.repeat(40));
  const quotes = formatReply(`[${'"'.repeat(4000)}](http://e.com/${'"'.repeat(2000)})`);
  expect(links.length).toBeGreaterThan(1);
  expect(quotes).toHaveLength(2);
  for (const part of [...links, ...quotes]) expect(Buffer.byteLength(part.html)).toBeLessThanOrEqual(30_000);
});

test('a character longer than a message is cut between its code points', () => {
  const parts = formatReply(`a${'\u{e0067}'.repeat(20)}`, { maxUnits: 16 }).map((part) => part.text);
  expect(parts[0]).toBe(`a${'\u{e0067}'.repeat(7)}`);
});

test('an answer over 100,000 units ends with an ellipsis', () => {
  const text = formatReply('word '.repeat(30_000)).map((part) => part.text);
  expect(text.at(-1)?.endsWith('…')).toBe(true);
  expect(text.join(' ').length).toBeLessThanOrEqual(100_000);
});

test('a limit that no message has is refused', () => {
  for (const maxUnits of [0, 15, 4097, Number.NaN]) {
    expect(() => formatReply('a', { maxUnits })).toThrow(RangeError);
  }
});
