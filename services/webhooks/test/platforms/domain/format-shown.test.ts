import { createLog } from '@botyard/shared/log/log';
import { afterAll, expect, test } from 'vitest';
import { formatShown } from '../../../src/platforms/domain/format-shown.ts';
import { formatMail } from '../../../src/platforms/mailgun/domain/outbound/format/format-mail.ts';
import { TextWorker } from '../../../src/text-threads/domain/text-worker.ts';

const texts = new TextWorker(createLog('test', 'silent'));
afterAll(() => texts.stop());

const choices = ['*Yes*', '<b>No</b>', '1. [link](https://x.example)', 'a_b_c `d`', '- # $5$ ~~x~~'];

/** The text that the `format` of an adapter gets. */
async function shownBy(
  capabilities: { buttons: boolean; formatting: boolean },
  markdown: string,
  signal = AbortSignal.timeout(60_000),
) {
  const text = { tenantId: 'tenant', markdown, choices, signal };
  const [shown] = await formatShown(async (received) => [{ ...received }], capabilities, texts)(text);
  return shown as typeof text;
}

test('a platform without buttons gets the choices as a list at the end, as they are written', async () => {
  const shown = await shownBy({ buttons: false, formatting: true }, 'Shall we?');
  expect(shown.choices).toEqual([]);
  const { text, html } = formatMail(shown.markdown)!;
  for (const choice of choices) expect(text).toContain(choice);
  expect(html.match(/<li/g)).toHaveLength(choices.length);
  expect(html).not.toMatch(/<b>|<a /);
});

test('a platform with buttons and formatting gets the text as it is', async () => {
  const { markdown, choices: buttons } = await shownBy({ buttons: true, formatting: true }, '**Shall we?**');
  expect({ markdown, buttons }).toEqual({ markdown: '**Shall we?**', buttons: choices });
});

test('a platform without formatting gets plain words, and its buttons', async () => {
  const shown = await shownBy({ buttons: true, formatting: false }, '**Shall** we [go](https://x.example)?');
  expect(shown).toMatchObject({ markdown: 'Shall we go (https://x.example)?', choices });
});

test('a platform with neither gets plain words, under which the choices are listed as they are written', async () => {
  const { markdown } = await shownBy({ buttons: false, formatting: false }, '**Shall** we?');
  expect(markdown).toBe(`Shall we?\n\n${choices.map((choice) => `• ${choice}`).join('\n')}`);
});

test('a long text without formatting becomes plain words, too, and stays as it is when there is no time', async () => {
  const markdown = 'It is **late** now. '.repeat(5000);
  const capabilities = { buttons: true, formatting: false };
  const { markdown: words } = await shownBy(capabilities, markdown);
  expect(words).toBe('It is late now. '.repeat(5000).trim());
  expect((await shownBy(capabilities, markdown, AbortSignal.abort())).markdown).toBe(markdown);
});
