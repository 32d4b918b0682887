import { describe, expect, test } from 'vitest';
import { formatMail } from '../../../../src/platforms/mailgun/domain/outbound/format/format-mail.ts';
import { formatReply } from '../../../../src/platforms/telegram/domain/format-reply.ts';

type Example = [markdown: string, html: string];

const emphasis: Example[] = [
  ['**重要提示：**请注意。', '<b>重要提示：</b>请注意。'],
  ['これは**「重要なこと」**です。', 'これは<b>「重要なこと」</b>です。'],
  ['때 **마크다운(Markdown)**을 쓰세요.', '때 <b>마크다운(Markdown)</b>을 쓰세요.'],
  ['**สำคัญ:**โปรดอ่าน', '<b>สำคัญ:</b>โปรดอ่าน'],
  ['**هام:**نص', '<b>هام:</b>نص'],
  ['**Note:**text', '<b>Note:</b>text'],
  ['これは__重要__です', 'これは<b>重要</b>です'],
  ['中文~~删除，~~内容', '中文<s>删除，</s>内容'],
  ['中文*斜体*中文', '中文<i>斜体</i>中文'],
  ['** 重要 ** 内容', '<b>重要</b> 内容'],
  ['**重要 **内容', '<b>重要</b>内容'],
  ['**A**、**B**', '<b>A</b>、<b>B</b>'],
  ['**bold *italic* bold**', '<b>bold <i>italic</i> bold</b>'],
  ['***both** one*', '<b><i>both</i></b><i> one</i>'],
  ['**a**/**b**', '<b>a</b>/<b>b</b>'],
];

const literal: Example[] = [
  ['f(*args, **kwargs) and g(**opts)', 'f(*args, **kwargs) and g(**opts)'],
  ['2 ** 3 ** 4, 5** and 6**', '2 ** 3 ** 4, 5** and 6**'],
  ['src/**/*.ts and test/**/*.ts', 'src/**/*.ts and test/**/*.ts'],
  ['snake_case_name, 5~10~20', 'snake_case_name, 5~10~20'],
  ['List<String> <T> <your-name>', 'List&lt;String&gt; &lt;T&gt; &lt;your-name&gt;'],
  ['$5 and $10, 5$ to 6$, $HOME/a_b and $PATH', '$5 and $10, 5$ to 6$, $HOME/a_b and $PATH'],
  [
    '`<br>` `$x^2$` `**a**` `&nbsp;`',
    '<code>&lt;br&gt;</code> <code>$x^2$</code> <code>**a**</code> <code>&amp;nbsp;</code>',
  ],
  ['#hashtag', '#hashtag'],
];

const markup: Example[] = [
  ['one<br>two<br/>three', 'one\ntwo\nthree'],
  ['| a | b |\n|---|---|\n| x<br>yyy | **z** |', '<pre>a   | b\n----+--\nx   | z\nyyy |</pre>'],
  ['<p>Hello <strong>World</strong></p>\n<ul><li>a</li><li>b</li></ul>', 'Hello <b>World</b>\n• a\n• b'],
  ['<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
  ['<details>\n<summary>More</summary>\n\nwords\n\n</details>', '<b>More</b>\n\nwords'],
  ['<table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table>', '<b>h</b> | <b>i</b>\n1 | 2'],
  ['<a href="https://e.com/a_(b)">l</a><!-- note -->', '<a href="https://e.com/a_(b)">l</a>'],
  ['<pre><code>a &lt; b\n</code></pre>', '<pre>a &lt; b</pre>'],
  ['x<sup>2</sup> H<sub>2</sub>O', 'x² H₂O'],
  ['\\(x^2 + y_1 \\le \\frac{1}{2}\\)', 'x² + y₁ ≤ 1/2'],
  ['\\[\n\\sum_{i=1}^{n} x_i = \\sqrt{2}\n\\]', '∑ᵢ₌₁ⁿ xᵢ = √2'],
  ['$x$ is $\\alpha \\times 10^{-3}$ and $$E = mc^2$$', 'x is α × 10⁻³ and E = mc²'],
  ['text[^1]\n\n[^1]: See the manual.', 'text¹\n\n¹: See the manual.'],
  ['text[^a]\n\n[^a]: http://e.com', 'text[a]\n\n[a]: http://e.com'],
  ['&copy; &rarr; &mdash;&nbsp;&euro;5 &unknown;', '© → —\u00a0€5 &amp;unknown;'],
  ['[w](https://e.org/Foo_(bar))', '<a href="https://e.org/Foo_(bar)">w</a>'],
  ['[my file](https://e.org/my file.pdf)', '<a href="https://e.org/my%20file.pdf">my file</a>'],
  ['text\n##标题\n内容', 'text\n\n<b>标题</b>\n\n内容'],
  ['**https://e.com/c**请', '<b>https://e.com/c</b>请'],
];

describe.each([
  ['emphasis is formatting in every script', emphasis],
  ['signs that are no formatting stay', literal],
  ['markup of other languages is formatting or words', markup],
])('%s', (_what, examples) => {
  test.each(examples)('%j becomes %j', (markdown, html) => {
    expect(formatReply(markdown).map((part) => part.html)).toEqual([html]);
  });
});

test.each([...emphasis, ...markup])(
  'a mail of %j shows no markup, neither as text nor as HTML',
  (markdown) => {
    const { text, html } = formatMail(markdown)!;
    const shown = html
      .replace(/^.*<body>/s, '')
      .replace(/<[^<>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&');
    for (const words of [text, shown]) {
      expect(words).not.toMatch(
        /\*\*|~~|__|<(?:br|p|b|ul|li|a|sup|details)\b|\\[([a-z]|\$|\[\^|&(?:nbsp|copy);|^##/m,
      );
    }
  },
);
