import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isQuicklyLexed } from '../../../src/text/domain/markdown/lex-markdown.ts';
import { callsFor, conversationOf, delivered, publishReplies } from '../../replies.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

const fence = `\`\`\`ts\n${'const total = price * count + shipping;\n'.repeat(90)}\`\`\`\n\n`;
const table = `| Item | Price |\n|---|---:|\n${'| **Box** of paper | 12 |\n'.repeat(30)}\n`;
const list = '- Order the **boxes** with `code` and a [link](https://e.com/a_b)\n'.repeat(60);
const answer = `# Steps\n\n${list}\n${table}${fence}${'Some more words about the order. '.repeat(120)}`;

/** Keeps as many processors busy as there are threads. */
function keepBusy(threads: number): Worker[] {
  return Array.from({ length: threads }, () => new Worker('for (;;);', { eval: true }));
}

test('a reply of 12,000 characters with a list, a table and a fence arrives formatted, cold, on a busy machine', async () => {
  expect(answer.length).toBeGreaterThanOrEqual(12_000);
  const busy = keepBusy(2);
  const { reply, platformChatId } = conversationOf(bot);
  const long = reply(answer);
  await publishReplies(services, long);
  expect(await delivered(services, long)).toMatchObject({ state: 'sent' });
  await Promise.all(busy.map((thread) => thread.terminate()));
  const html = callsFor(services, platformChatId).map(({ params }) => String(params.text));
  const whole = html.join('\n');
  expect(whole).toContain('<pre><code class="language-ts">const total');
  expect(whole).toContain('• Order the <b>boxes</b> with <code>code</code>');
  expect(whole).toContain('Box of paper |    12');
  expect(whole).not.toMatch(/\*\*|```|\|---/);
});

test('an answer that only the thread formats arrives formatted, however long the thread takes to start', async () => {
  const huge = `${`${'**a** '.repeat(1500)}\n\n`.repeat(2) + '`'.repeat(3)}\nx\n\`\`\`\n`;
  expect(isQuicklyLexed(huge)).toBe(false);
  const busy = keepBusy(4);
  const { reply, platformChatId } = conversationOf(bot);
  const long = reply(huge);
  await publishReplies(services, long);
  await expect.poll(() => callsFor(services, platformChatId).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await Promise.all(busy.map((thread) => thread.terminate()));
  expect(String(callsFor(services, platformChatId)[0]!.params.text)).toMatch(/^<b>a<\/b> /);
});

test('usual answers, up to 32 kB and 400 lines, are formatted on the main loop', () => {
  const prose = 'Deliver on **Monday** with `code` and a [link](https://e.com/a_b) to the *place*.\n\n';
  const long = [
    answer,
    prose.repeat(133),
    `${list}${fence}`.repeat(2),
    '- words of a usual length here\n'.repeat(400),
  ];
  const rows = `| a | b | c |\n|--|--|--|\n${'| word word | **bold** | `code` |\n'.repeat(350)}`;
  const lines = `${'word '.repeat(60)}\n`.repeat(100);
  for (const text of [...long, rows, lines]) expect(isQuicklyLexed(text)).toBe(true);
});
