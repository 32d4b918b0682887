import { cpuMs } from '@botyard/testing/cpu-time';
import { describe, expect, test } from 'vitest';
import { formatMail } from '../../../../../../src/platforms/mailgun/domain/outbound/format/format-mail.ts';

const html = (markdown: string) =>
  formatMail(markdown)
    ?.html.replace(/^.*?<body><div[^>]*>|<\/div><\/body><\/html>$/gs, '')
    .replace(/ style="[^"]*"/g, '');

test('Markdown becomes the elements of a mail, and a text that reads without them', () => {
  const markdown = [
    '# Order',
    'Hello **Anna**, _soon_ ~~late~~ `x < y`',
    '- one\n- two\n  1. inner',
    '> quoted',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '```js\nlet a = "<b>";\n```',
    '- [x] done',
    '---',
  ].join('\n\n');
  expect(html(markdown)).toBe(
    '<h1>Order</h1><p>Hello <b>Anna</b>, <i>soon</i> <s>late</s> <code>x &lt; y</code></p>' +
      '<ul><li>one</li><li>two<ol start="1"><li>inner</li></ol></li></ul>' +
      '<blockquote><p>quoted</p></blockquote>' +
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>' +
      '<pre>let a = &quot;&lt;b&gt;&quot;;</pre><ul><li>☑ done</li></ul><hr>',
  );
  expect(formatMail(markdown)?.text).toContain('Hello Anna, soon late x < y');
});

describe('nothing in it is fetched or run', () => {
  test.each([
    ['<script>alert(1)</script>'],
    ['<img src=https://evil.example/p.gif onerror=alert(1)>'],
    ['![pixel](https://evil.example/p.gif)'],
    ['[x](javascript:alert(1))'],
    ['[x](JAVASCRIPT&#58;alert(1))'],
    ['[x](data:text/html,<script>alert(1)</script>)'],
    ['[x](vbscript:x)'],
    ['<style>body{background:url(https://evil.example)}</style>'],
    ['<iframe src=https://evil.example></iframe>'],
    ['[x](https://ok.example"onmouseover="alert(1))'],
    ['<a href="javascript:x">y</a>'],
    ['<https://evil.example/"><img src=x>'],
    ['[![a](https://evil.example/a.png)](https://evil.example)'],
    ['| <img src=x> |\n|---|\n| <svg onload=x> |'],
    ['- <object data=x>\n\n  <embed src=y>'],
  ])('%s', (markdown) => {
    const body = html(markdown) ?? '';
    const tags = [...body.matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
    const allowed = /^(p|a|b|i|s|br|ul|ol|li|table|tr|th|td|code|pre|blockquote|hr|h[1-6])$/;
    for (const [whole, name, attributes] of tags) {
      expect(name, whole).toMatch(allowed);
      if (attributes)
        expect(attributes, whole).toMatch(
          /^( href="(https?|mailto|tel):[^"<>]*" rel="noopener noreferrer"| start="\d+")$/,
        );
    }
    const links = tags.filter(([, name]) => name === 'a');
    expect(links.filter(([whole]) => whole.startsWith('</')).length * 2).toBe(links.length);
  });
});

test('a link keeps its address in both forms; one that leads nowhere safe is written out', () => {
  expect(html('[here](https://a.example/?a=1&b=2) or [mail](mailto:a@b.example)')).toBe(
    '<p><a href="https://a.example/?a=1&amp;b=2" rel="noopener noreferrer">here</a> or ' +
      '<a href="mailto:a@b.example" rel="noopener noreferrer">mail</a></p>',
  );
  expect(formatMail('[here](https://a.example/x)')?.text).toBe('here (https://a.example/x)');
  expect(formatMail('https://a.example/x')?.text).toBe('https://a.example/x');
  expect(html('[x](javascript:alert)')).toBe('<p>x (javascript:alert)</p>');
});

test('a text with nothing visible is no mail; a text that Markdown would hide is sent as it was written', () => {
  expect(formatMail(' \n\t ')).toBeUndefined();
  expect(formatMail('[a]: https://a.example')?.text).toBe('[a]: https://a.example');
});

test('control characters, halves of characters and a million signs do no harm, in linear time', () => {
  expect(formatMail('a\0b\u001bc\ud800')?.text).toBe('a b c\ufffd');
  for (const hostile of [
    '*'.repeat(200_000),
    '> '.repeat(50_000),
    '[a]('.repeat(50_000),
    '|'.repeat(100_000),
    `${'- '.repeat(5000)}x`,
  ]) {
    const tookMs = cpuMs(() => expect(formatMail(hostile)?.text.length).toBeLessThan(300_000));
    expect(tookMs).toBeLessThan(5000);
  }
});
