import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chatOfMallory,
  createButton,
  type OpenConsole,
  openConsole,
  openPage,
  writeToDemoBot,
} from './open-console.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
  page = await opened.newPage();
});
afterAll(() => opened?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const dialog = () => page.getByRole('dialog');

const readChat = async () => await (await fetch(chatOfMallory(opened.installation))).text();

test('a tool of the reference server is added, allowed, given to an agent, called with an approval, and told', async () => {
  const { sandboxUrl, demo } = opened.installation;
  await page.goto(`${sandboxUrl}/tool-server`);
  await page.getByText(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/).waitFor();
  const address = (await page.locator('#address').textContent()) ?? '';
  const link = page.getByRole('link', { name: 'Tool servers in the console' });
  expect(await link.getAttribute('href')).toMatch(/\/agents\/servers$/);

  await openPage(page, '/agents/servers');
  await createButton(page, 'Add a server').click();
  await field('Address').fill(address);
  await field('Name').fill('Everything');
  await button('Add server').click();
  await page.getByText('ready', { exact: true }).waitFor();
  await button('Review echo').click();
  await dialog().getByText('Echoes back the input string').waitFor();
  await dialog().getByRole('button', { name: 'Allow this definition' }).click();
  await dialog().getByLabel('message', { exact: true }).fill('hello');
  await dialog().getByLabel('This call may have an effect.').check();
  await dialog().getByRole('button', { name: 'Call the tool once' }).click();
  await dialog().getByRole('status').getByText('> Echo: hello').waitFor();
  await dialog().getByLabel('Calls').selectOption('approval');
  await dialog().getByRole('button', { name: 'Add to your tools' }).click();
  await dialog().getByRole('link', { name: 'echo' }).waitFor();

  await openPage(page, `/agents/${demo.agentId}`);
  await button('Add echo').click();
  await page.getByText('Draft saved').waitFor();
  await button('Go live').click();
  await button('Go live now').click();
  await page.getByText(/^Version \d+ is live\./).waitFor();

  await writeToDemoBot(opened.installation, 'echo good morning');
  await page.goto('/approvals');
  const call = page.getByRole('row', { name: /echo/ });
  await call.getByText('"message": "good morning"').waitFor();
  await call.getByRole('button', { name: 'Approve' }).click();
  await eventually('the chat is told what the tool answered', async () =>
    (await readChat()).includes('Echo: good morning'),
  );
  expect(opened.complaints).toEqual([]);
});
