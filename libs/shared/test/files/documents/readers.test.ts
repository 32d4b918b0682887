import { describe, expect, test } from 'vitest';
import { readHtml } from '../../../src/files/documents/read-html.ts';
import { readMarkdown } from '../../../src/files/documents/read-markdown.ts';

describe('HTML', () => {
  test('is read as a person sees it: by headings, without scripts and styles', () => {
    const sections =
      readHtml(`<!doctype html><html><head><title>Not shown</title><style>p{color:red}</style></head><body>
      <p>Before&nbsp;all &amp; everything</p><script>alert('gone')</script>
      <h1>Returns</h1><p>Within <b>30</b>
        days.</p><h2>Kettles</h2><ul><li>Broken</li><li>Dented<template>hidden</template></li></ul>
      <h1>Shipping</h1><table><tr><td>EU</td><td>5 €</td></tr></table></body></html>`);
    expect(sections).toEqual([
      { heading: '', text: 'Before all & everything' },
      { heading: 'Returns', text: 'Within 30 days.' },
      { heading: 'Returns › Kettles', text: expect.stringMatching(/^- Broken\n\s*- Dented$/) },
      { heading: 'Shipping', text: 'EU\t5 €' },
    ]);
  });

  test('is read as far as possible if it is broken, unclosed or deeply nested', () => {
    expect(readHtml('<p>one<b>two<h2>Three').map(({ text }) => text)).toEqual(['onetwo', 'Three']);
    expect(readHtml('<h1>Only a heading</h1>')).toEqual([
      { heading: 'Only a heading', text: 'Only a heading' },
    ]);
    const nested = (depth: number) => `before ${'<div>'.repeat(depth)}deep${'</div>'.repeat(depth)}`;
    expect(readHtml(nested(900))[0]?.text).toMatch(/^before\s+deep$/);
    expect(readHtml(nested(100_000)).map(({ text }) => text)).toEqual(['before']);
    expect(readHtml('<script>never ends')).toEqual([]);
    expect(readHtml('a < b and <3 &unknown; &#0; &#x110000;')[0]?.text).toContain('a < b and <3');
  });

  test('is read quickly even if it is one line of ten million characters', () => {
    const before = process.cpuUsage();
    expect(readHtml(`<p>${'x '.repeat(5_000_000)}</p>`)[0]?.text.length).toBeGreaterThan(9_000_000);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe('Markdown', () => {
  test('is divided by its headings, and its text is not changed', () => {
    const sections = readMarkdown(
      'Intro **bold**\n\n# Returns\n\nText.\n\n## Kettles ##\n\n- a\n- b\n\n```\n# no heading\n```\n\nShipping\n===\n\nEnd',
    );
    expect(sections.map(({ heading }) => heading)).toEqual(['', 'Returns', 'Returns › Kettles', 'Shipping']);
    expect(sections[0]?.text.trim()).toBe('Intro **bold**');
    expect(sections[2]?.text.trim()).toBe('- a\n- b\n\n```\n# no heading\n```');
  });

  test('loses no word, also of a heading that is longer than headings are', () => {
    const long = 'kettle '.repeat(100).trim();
    const sections = readMarkdown(
      `# ${long}\n\nUnder it.\n\n# Empty\n\n[link]: https://example.com "title"\n`,
    );
    expect(sections[0]?.text).toContain(long);
    expect(sections[0]?.heading.length).toBeLessThanOrEqual(300);
    expect(sections.at(-1)?.text).toContain('https://example.com');
  });
});
