import { expect, test } from 'vitest';
import { formatReply, splitAgain } from '../../../../src/platforms/slack/domain/format-reply.ts';

const markdownOf = (markdown: string, limit?: number) =>
  formatReply(markdown, limit).map((part) => part.markdown);

test('Markdown is left to the platform, with a short text for notifications', () => {
  expect(formatReply('# Hi\n\n**bold** & <b>')).toEqual([
    { markdown: '# Hi\n\n**bold** & <b>', text: 'Hi bold &amp; &lt;b' },
  ]);
});

test('nothing visible is no message', () => {
  expect(formatReply(' \n\t\n')).toEqual([]);
});

test('a model calls neither a channel nor a person', () => {
  const [part] = formatReply('<!channel> <@U1> <!subteam^S1> <https://example.com>');
  expect(part?.markdown).not.toMatch(/<[!@#]/);
  expect(part?.markdown).toContain('<https://example.com>');
});

test('a long answer is split between paragraphs, each part within the limit, and nothing is lost', () => {
  const paragraphs = Array.from({ length: 60 }, (_, index) => `${index} ${'word '.repeat(40)}`.trim());
  const parts = markdownOf(paragraphs.join('\n\n'), 1000);
  expect(parts.every((part) => part.length <= 1000)).toBe(true);
  expect(parts.join('\n\n').replace(/\n+/g, '\n\n')).toBe(paragraphs.join('\n\n'));
});

test('a block of code that is cut ends with its fence and goes on with it', () => {
  const code = Array.from({ length: 200 }, (_, index) => `  line(${index});`);
  const parts = markdownOf(['Look:', '```ts', ...code, '```', 'Done.'].join('\n'), 1000);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(1000);
    expect(part.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
  }
  expect(
    parts
      .join('\n')
      .split('\n')
      .filter((line) => line.startsWith('  line')),
  ).toEqual(code);
});

test('a line without end is cut behind words, and within characters only between them', () => {
  const parts = markdownOf(`${'a'.repeat(300)} ${'😀'.repeat(2000)}`, 1000);
  expect(parts.every((part) => part.length <= 1000 && part.isWellFormed())).toBe(true);
  expect(parts.join('').replaceAll(' ', '')).toBe(`${'a'.repeat(300)}${'😀'.repeat(2000)}`);
});

test('what the platform calls too long is split into smaller pieces, down to what can not be split', () => {
  const [part] = formatReply('word '.repeat(2000));
  const pieces = splitAgain(part!)!;
  expect(pieces.length).toBeGreaterThan(1);
  expect(Math.max(...pieces.map(({ markdown }) => markdown.length))).toBeLessThan(part!.markdown.length);
  expect(splitAgain({ markdown: 'short', text: 'short' })).toBeUndefined();
});

test('a hostile answer takes no longer than its length', () => {
  const started = performance.now();
  for (const hostile of [
    '```\n'.repeat(25_000),
    '`'.repeat(100_000),
    '\n'.repeat(100_000),
    ' '.repeat(100_000),
    '<'.repeat(100_000),
  ])
    formatReply(hostile);
  expect(performance.now() - started).toBeLessThan(5000);
});
