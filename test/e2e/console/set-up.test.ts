import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
});
afterAll(() => opened?.close());

test('a sentence becomes a bot with knowledge, which is tried and connected', async () => {
  const page = await opened.newPage();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await openPage(page, '/bots/set-up');
  await field('Name').fill('Luna');
  await field('What does the bot do?').fill('You answer questions about our café');
  await button('Draft it').click();
  expect(await field('Instructions').inputValue()).toMatch(/^You are Luna\. You answer questions .*café\./);
  await field('Provider').selectOption('private-llm');
  await field('Model').fill('sandbox');
  await button('Create the bot').click();

  await field('Title').fill('Hours');
  await field('Text').fill('We are open from 8 to 18.');
  await button('Add text').click();

  await field('Message').fill('hello');
  await button('Ask the agent').click();
  await page
    .getByRole('log', { name: 'Trial' })
    .getByText(/You are Luna/)
    .waitFor();
  await button('Go on').click();

  await button('Connect a channel').click();
  await page.getByRole('button', { name: /^Web chat/ }).click();
  await button('Connect').click();
  await button('Done').click();
  await page.getByText('waiting for the first message', { exact: true }).waitFor();

  // The page knows what is done when it is opened again.
  await page.reload();
  await page.getByRole('heading', { name: 'Add knowledge (done)' }).waitFor();
  await page.getByRole('heading', { name: 'Connect it (done)' }).waitFor();
  expect(opened.complaints).toEqual([]);
});
