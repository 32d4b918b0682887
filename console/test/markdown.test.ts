import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from '../src/parts/markdown.tsx';

const shown = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text }))
    .replaceAll(/ (?:class|dir)="[^"]*"/g, '')
    .replaceAll(/^<div>|<\/div>$/g, '');

test.each([
  ['I am **bold**, say `npm start`.', '<p>I am <strong>bold</strong>, say <code>npm start</code>.</p>'],
  ['one\ntwo _quietly_ ~~gone~~', '<p>one\ntwo <em>quietly</em> <del>gone</del></p>'],
  ['# Title\n\ntext', '<p>Title</p><p>text</p>'],
  ['3. three\n4. four', '<ol start="3"><li><p>three</p></li><li><p>four</p></li></ol>'],
  ['- one', '<ul><li><p>one</p></li></ul>'],
  ['> said', '<blockquote><p>said</p></blockquote>'],
  ['```js\na < b\n```', '<pre>a &lt; b</pre>'],
  [
    '|a|b|\n|-|-|\n|1|2|',
    '<div><table><tbody><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></tbody></table></div>',
  ],
])('an answer is shown with its formatting: %j', (text, markup) => {
  expect(shown(text)).toBe(markup);
});

test.each(['snake_case_names and 2 ** 3 ** 4', '**never closed', '5 * 3 < 20'])(
  'other signs are not changed: %s',
  (text) => {
    expect(shown(text)).toBe(`<p>${text.replace('<', '&lt;')}</p>`);
  },
);

test('a link shows its address instead of leading there, and a picture is not fetched', () => {
  expect(
    shown('[your bank](https://evil.example/x) https://plain.example ![p](https://evil.example/a.png)'),
  ).toBe('<p>your bank (https://evil.example/x) https://plain.example [picture: p]</p>');
});

test('text that looks like HTML stays text, within marks too', () => {
  expect(shown('**<img src=x onerror=alert(1)>** `</code><script>`')).toBe(
    '<p><strong>&lt;img src=x onerror=alert(1)&gt;</strong> <code>&lt;/code&gt;&lt;script&gt;</code></p>',
  );
});

test('nesting ends at a depth, and a text of any length is shown', () => {
  expect(shown(`${'> '.repeat(500)}deep`)).not.toContain('deep');
  expect(shown(`**${'x'.repeat(30_000)}**`)).toContain('**xxx');
});
