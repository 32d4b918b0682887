/** The long answer and the hostile answer. */

export function shorten(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `${text.slice(0, maxUnits).toWellFormed().trimEnd()}…`;
}

/** An answer that is longer than one message and contains every kind of formatting. */
export function longAnswer(last: string): string {
  return [
    '# A long answer',
    `You asked: “${shorten(last, 200)}”. This text is longer than one message of the messenger may be, so Botyard **splits** it and keeps the *formatting* whole.`,
    '## Some code',
    [
      '```ts',
      'export function greet(name: string): string {',
      '  return "Hello, " + name; // a < b && b > c',
      '}',
      '```',
    ].join('\n'),
    '## A table',
    [
      '| Boat | Comes from | Tons |',
      '| --- | :---: | ---: |',
      '| Möwe | Hamburg | 12 |',
      '| 海鸥 | 上海 | 1,250 |',
      '| النورس | الإسكندرية | 80 |',
    ].join('\n'),
    '> A quotation, to see how it looks. It may have **bold** words and `code` in it.',
    ['1. Numbered', '2. points', '   - with points inside', '   - and another one', '3. and a last one'].join(
      '\n',
    ),
    ...Array.from({ length: 11 }, (_, index) => chapter(index + 1)),
    'That was all. See [the documentation](http://localhost:3001/api/docs) for more.',
  ].join('\n\n');
}

function chapter(number: number): string {
  return [
    `## Part ${number}`,
    'The yard lies by the river, and every morning the same boats come in with the tide. Each of them carries something that another one needs, and nobody leaves before it has been handed over and signed for.',
    '',
    `- **First** point of part ${number}, with a word of \`code\``,
    '- *Second* point, a little longer than the first, so that the line has to break somewhere on a narrow screen',
    '- Third point with ~~a mistake~~ a correction',
  ].join('\n');
}

/** The answer of a manipulated model: markup, scripts, false links, direction marks and unclosed Markdown. */
export function hostileAnswer(): string {
  return [
    'A <b>hostile</b> answer: <script>alert("owned")</script><img src=x onerror=alert(1)>',
    '</blockquote></div><iframe src="javascript:alert(2)"></iframe> <style>body{display:none}</style>',
    'Links: [run](javascript:alert(3)), [data](data:text/html,<script>alert(4)</script>), [bank](https://bank.example.evil.test/login "https://bank.example"), <a href="https://evil.test" onclick="alert(5)">click</a>',
    'Reversed: \u202egnp.exe\u202c, hidden:\u200b\u200b\u200b, Zalgo: Z\u0351\u036b\u0343\u036aa\u0302\u036b\u0353l\u0323\u0345g\u035f\u031ao',
    `A word without an end: ${'A'.repeat(300)}`,
    '**bold that never ends, _italic_ that **crosses** it, `code with a tail, and [a link](http://',
    `&lt;script&gt; &amp;#60; &#x202e; {{template}} \${env} %s`,
    '```html\n<script>\n  document.cookie;\n</script>\n(and a fence that nobody closes)',
  ].join('\n\n');
}
