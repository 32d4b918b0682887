import { expect, test } from 'vitest';
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

test('a shared message comes with its author, and a preview of a link does not', () => {
  const attachments = [
    { is_share: true, author_name: 'Ben', text: 'The <https://example.com|plan>' },
    { title: 'Example', text: 'A page' },
  ];
  expect(sharedMessages(attachments, names)).toEqual([
    '[forwarded from: Ben]\nThe plan (https://example.com)',
  ]);
});
