import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectUsable } from './expect-usable.ts';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  const { installation } = opened;
  await writeToDemoBot(installation, 'Order 1234567 for ann@shop.example, says Peter Parker', 'Mallory');
  const chat = await eventually('there is a chat', () => installation.firstOf('/api/interactions/chats'));
  chatId = chat.chatId as string;
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });

test.each([
  ['at a desk', { viewport: { width: 1440, height: 900 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
] as const)('an answer in the inbox becomes a test without personal data, %s', async (where, look) => {
  page = await opened.newPage(look);
  await openPage(page, `/inbox/${chatId}`);
  await button('Save as a test').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Peter Parker (words with capitals)').waitFor();
  expect(await field('Message 1').inputValue()).toBe(
    'Order 1000001 for person-1@example.com, says Peter Parker',
  );
  await dialog.locator('mark', { hasText: 'Peter Parker' }).first().waitFor();
  await expectUsable(page);
  await field('Set').selectOption('new');
  await field('Name of the new set').fill(`Saved ${where}`);
  await field('Message 1').fill('Order 1000001 for person-1@example.com');
  await field('Add a check').selectOption('contains');
  await field('Text').fill('order');
  await button('Add the check').click();
  await dialog.getByText('The answer contains “order”', { exact: true }).waitFor();
  await dialog.getByRole('checkbox').check();
  await button('Save the test').click();
  await dialog.getByRole('link', { name: 'Open its set' }).click();
  await page.getByRole('heading', { level: 1, name: `Saved ${where}` }).waitFor();
  await page
    .getByRole('link', { name: 'Order 1000001 for person-1@example.com, says Peter Parker' })
    .waitFor();
  await expectUsable(page);
  await openPage(page, '/tests');
  await page.getByRole('link', { name: `Saved ${where}` }).waitFor();
  await expectUsable(page);
});

test('cases are written by hand, imported with the fault of each line, searched and deleted', async () => {
  page = await opened.newPage();
  const agent = await opened.installation.firstOf('/api/definitions/agents');
  const body = { name: 'By hand', agentId: agent?.id };
  const { setId } = await opened.installation.api<{ setId: string }>('POST', '/api/evaluations/sets', body);
  await openPage(page, `/tests/${setId}`);
  await page.getByText('No cases yet.').waitFor();
  await button('Add a case').click();
  await field('Name of the case').fill('Opening hours');
  await field('Message 1').fill('When do you open?');
  await expectUsable(page);
  await button('Save the case').click();
  await page.getByRole('link', { name: 'Opening hours' }).waitFor();

  await button('Import …').click();
  await field('Content').fill('message,language\nHello,German');
  await button('Import the cases').click();
  await page
    .getByRole('dialog')
    .getByText('must be a language of two letters, line 2, column 2 (language)')
    .waitFor();
  await field('Content').fill('message,language\nHello,de');
  await button('Import the cases').click();
  await page.getByRole('link', { name: 'Hello' }).waitFor();

  await field('Search').fill('hours');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Hello' }).waitFor({ state: 'detached' });
  page.on('dialog', (confirm) => void confirm.accept());
  await page.getByRole('link', { name: 'Opening hours' }).click();
  await button('Delete the case').click();
  await page.getByText('No matching cases.').waitFor();
});

test('an agent that requires a set goes live after a run of its draft only, or with a reason', async () => {
  const { installation } = opened;
  const agent = { name: 'Tested first', instructions: 'Help.', provider: 'private-llm', model: 'sandbox' };
  const { id } = await installation.api<{ id: string }>('POST', '/api/definitions/agents', agent);
  const set = { name: 'Greetings', agentId: id };
  const { setId } = await installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  await installation.api('POST', `/api/evaluations/sets/${setId}/cases`, {
    name: 'Hello',
    messages: [{ role: 'user', text: 'Hello' }],
  });
  page = await opened.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await openPage(page, `/tests/${setId}`);
  await button('Require before go-live').click();
  await page.getByText('A draft goes live only after a run of it').waitFor();
  await openPage(page, `/agents/${id}`);
  await field('Instructions').fill('Help kindly.');
  await button('Go live').click();
  await button('Go live now').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('the set "Greetings" has no finished run of this content').waitFor();
  await expectUsable(page);
  await field('Reason to go live anyway').fill('The fair is tomorrow.');
  await button('Go live now').click();
  await page.getByText('Version 2 is live.').waitFor();
});
