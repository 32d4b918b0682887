import { expect, test } from 'vitest';
import { textOfBlocks } from '../../../../src/platforms/slack/domain/blocks.ts';
import { plainText, sharedMessages } from '../../../../src/platforms/slack/domain/words.ts';
import { names } from '../fixture.ts';

test.each([
  ['<@U1> &amp; <@U2|benny>', '@Anna & @benny'],
  ['<#C1|general> and <#C9>', '#general and #C9'],
  ['<!here> <!subteam^S1|@support> <!channel|channel>', '@here @support @channel'],
  ['<!date^1392734382^{date}|18 February 2014>', '18 February 2014'],
  ['<https://example.com>', 'https://example.com'],
  ['<https://example.com/a?b=1&amp;c=2|the page>', 'the page (https://example.com/a?b=1&c=2)'],
  ['<mailto:a@example.com|a@example.com>', 'a@example.com'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2, &amp;lt; stays', '1 < 2 && 3 > 2, &lt; stays'],
  ['[place: Rome]', '\\[place: Rome]'],
])('%s is read as %s', (source, text) => {
  expect(plainText(source, names)).toBe(text);
});

const richText = (...elements: object[]) => [
  { type: 'rich_text', block_id: 'b1', elements: [{ type: 'rich_text_section', elements }] },
];

test('a message that has its words in blocks only is read from there, a shared one as well', () => {
  const blocks = [
    ...richText(
      { type: 'user', user_id: 'U2' },
      { type: 'text', text: ' <b> & see ', style: { bold: true } },
      { type: 'link', url: 'https://example.com', text: 'the plan' },
      { type: 'emoji', name: 'wave' },
    ),
    { type: 'section', text: { type: 'mrkdwn', text: '*State:* <#C1>' } },
    { type: 'header', text: { type: 'plain_text', text: 'Disk full' } },
    { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'x' },
  ];
  const words = '@Ben <b> & see the plan (https://example.com):wave:\n*State:* #general\nDisk full';
  expect(plainText(textOfBlocks(blocks), names)).toBe(words);
  const shared = { is_share: true, author_name: 'Alerts', text: '', fallback: '[no preview available]' };
  expect(sharedMessages([{ ...shared, message_blocks: [{ message: { blocks } }] }], names)).toEqual([
    `[forwarded from: Alerts]\n${words}`,
  ]);
  expect(sharedMessages([{ ...shared, fallback: 'A file' }], names)).toEqual([
    '[forwarded from: Alerts]\nA file',
  ]);
});

test('blocks of any shape and depth are read without an error, in bounded time', () => {
  let deep: unknown = { type: 'text', text: 'x' };
  for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'rich_text_section', elements: [deep] };
  const wide = richText(...Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'y' })));
  for (const blocks of [deep, wide, 'x', null, [[[[null]]]], [{ type: 7, text: 8, elements: 9 }]])
    expect(textOfBlocks(blocks).length).toBeLessThan(10_000);
});

test('a shared message comes with its author, and a preview of a link does not', () => {
  const attachments = [
    { is_share: true, author_name: 'Ben', text: 'The <https://example.com|plan>' },
    { title: 'Example', text: 'A page' },
  ];
  expect(sharedMessages(attachments, names)).toEqual([
    '[forwarded from: Ben]\nThe plan (https://example.com)',
  ]);
});
