import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatOfMallory, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await writeToDemoBot(opened.installation, 'hello');
  const chat = await eventually('there is a chat', () =>
    opened.installation.firstOf('/api/interactions/chats'),
  );
  chatId = chat.chatId as string;
});
beforeEach(async () => {
  page = await opened.newPage();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const messages = () => page.getByRole('region', { name: 'Messages' });
const composer = () => messages().getByLabel('Message', { exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const api: OpenConsole['installation']['api'] = (...request) => opened.installation.api(...request);
const textsToPerson = async () => await (await fetch(chatOfMallory(opened.installation))).text();

async function openTakenChat(): Promise<void> {
  await api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
  await openPage(page, `/inbox/${chatId}`);
  await composer().waitFor();
}

test('a canned reply is found while its name is typed, written and sent, without leaving the keyboard', async () => {
  for (const [name, text] of [
    ['opening hours', 'We open at nine.'],
    ['refund', 'Refunds take three days.'],
  ])
    await api('POST', '/api/interactions/canned-replies', { name, text });
  await openTakenChat();
  await composer().pressSequentially('/');
  await page.getByRole('option', { name: /refund/ }).waitFor();
  expect(await page.getByRole('listbox', { name: 'Canned replies' }).getByRole('option').count()).toBe(2);
  await composer().press('ArrowDown');
  await page.getByRole('option', { name: /refund/, selected: true }).waitFor();
  await composer().pressSequentially('op');
  await page.getByRole('option', { name: /refund/ }).waitFor({ state: 'detached' });
  await composer().press('Enter');
  expect(await composer().inputValue()).toBe('We open at nine.');
  await composer().press('Control+Enter');
  expect(await composer().inputValue()).toBe('');
  await messages().getByText('We open at nine.', { exact: true }).waitFor();
  await eventually('it has arrived', async () => (await textsToPerson()).includes('We open at nine.'));
});

test('a message that is refused stays in its place, and is sent again when its author says so', async () => {
  await openTakenChat();
  await page.route('**/messages', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 503, json: { error: 'the service is busy' } })
      : route.continue(),
  );
  await composer().fill('one moment please');
  await button('Send').click();
  await messages().getByText('Not sent: the service is busy').waitFor();
  await page.unroute('**/messages');
  await button('Send again').click();
  await messages().getByText('Not sent').waitFor({ state: 'detached' });
  await eventually('it has arrived', async () => (await textsToPerson()).includes('one moment please'));
  expect(await messages().getByText('one moment please', { exact: true }).count()).toBe(1);
});

test('a draft survives a visit to another chat and a reload', async () => {
  await openTakenChat();
  await composer().fill('I am looking into');
  await page.getByRole('link', { name: 'Labels and replies' }).click();
  await page.goBack();
  expect(await composer().inputValue()).toBe('I am looking into');
  await page.reload();
  await composer().waitFor();
  expect(await composer().inputValue()).toBe('I am looking into');
});
