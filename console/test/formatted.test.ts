import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Formatted } from '../src/parts/formatted.tsx';

const shown = (text: string): string =>
  renderToStaticMarkup(createElement(Formatted, { text })).replaceAll(/ class="[^"]*"/g, '');

test("a bot's bold, code and emphasis are shown as such", () => {
  expect(shown('I am **bold**, say `npm start`.\n_Quietly_ so.')).toBe(
    'I am <strong>bold</strong>, say <code>npm start</code>.\n<em>Quietly</em> so.',
  );
});

test.each([
  'snake_case_names and 2 ** 3 ** 4',
  '**never closed',
  '`two\nlines`',
  '[a link](https://example.com) ![a picture](https://example.com/a.png)',
])('other signs are not changed: %s', (text) => {
  expect(shown(text)).toBe(text);
});

test('text that looks like HTML stays text, within marks too', () => {
  expect(shown('**<img src=x onerror=alert(1)>** `</code><script>`')).toBe(
    '<strong>&lt;img src=x onerror=alert(1)&gt;</strong> <code>&lt;/code&gt;&lt;script&gt;</code>',
  );
});
