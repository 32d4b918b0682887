import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let botId: string;
beforeAll(async () => {
  opened = await openConsole();
  const { installation } = opened;
  const { tenantId } = installation.demo;
  const agent = { name: 'Host', instructions: 'Be kind.', provider: 'private-llm', model: 'sandbox' };
  const { id } = await installation.api<{ id: string }>('POST', '/api/definitions/agents', agent);
  const bot = { name: 'Shop bot', agentIds: [id] };
  ({ botId } = await installation.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, bot));
});
beforeEach(async () => {
  page = await opened.newPage();
  page.on('dialog', (dialog) => void dialog.accept());
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const channels = () => page.getByRole('region', { name: 'Channels' });

test('a web chat is connected, answers on its own page, and a person takes it over from the inbox', async () => {
  await openPage(page, `/bots/${botId}`);
  await button('Connect a channel').click();
  await page.getByRole('button', { name: /^Web chat/ }).click();
  await field('Sites that may show the chat').fill('shop.example');
  await button('Connect').click();
  await field('Sites that may show the chat').and(page.locator('[aria-invalid=true]')).waitFor();
  await field('Sites that may show the chat').fill('https://shop.example');
  await button('Connect').click();
  await page.getByRole('dialog').getByText(`data-bot="${botId}" async></script>`).waitFor();
  await button('Done').click();
  await channels().getByText('waiting for the first message', { exact: true }).waitFor();

  const visitor = await opened.newPage();
  await visitor.goto(`/chat/${botId}`);
  await visitor.getByLabel('Write a message').fill('Is anybody there?');
  await visitor.getByLabel('Write a message').press('Enter');
  await visitor.getByText(/My instructions begin with: .*Be kind\./).waitFor();
  await channels().getByText('connected', { exact: true }).waitFor();

  await page.goto(`/inbox?bot=${botId}`);
  await page.getByRole('link', { name: /instructions begin|anybody there/ }).click();
  await button('Take over').click();
  await visitor.getByText('A person has joined.').waitFor();
  await page.keyboard.type('Ada here. **How** can I help?');
  await page.keyboard.press('Control+Enter');
  await visitor.getByText('Ada here. How can I help?').waitFor();
  // The inbox shows it as the visitor sees it, and where the visitor writes.
  await page.getByRole('region', { name: 'Messages' }).locator('strong').getByText('How').waitFor();
  await page.getByText('Shop bot · Web chat').first().waitFor();
  await visitor.context().close();
});

test('the preview shows look and words while they are typed, sends nothing, and keeps the focus in the form', async () => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await openPage(page, `/bots/${botId}/look`);
  const preview = page.frameLocator('iframe[title="Preview of the chat"]');
  await preview.getByRole('heading', { name: 'Chat' }).waitFor();
  await field('Heading').fill('Ask the shop');
  await field('Greeting').pressSequentially('Hello!');
  await preview.getByRole('heading', { name: 'Ask the shop' }).waitFor();
  await preview.getByText('Hello!').waitFor();
  expect(await field('Greeting').evaluate((element) => element.matches(':focus'))).toBe(true);
  await preview.getByLabel('Write a message').fill('To nobody');
  await preview.getByLabel('Write a message').press('Enter');
  await preview.getByText('To nobody').waitFor();
  await field('Monday').fill('9–17:30');
  await field('Outside of the hours').fill('Back in the morning');
  await preview.getByText('Back in the morning').waitFor();
  expect(sent).toEqual([]);

  await field('Tuesday').fill('17–9');
  await button('Save').click();
  await page.getByText('must be after the beginning').first().waitFor();
  await field('Tuesday').fill('9–17');
  await button('Save').click();
  await page.getByText('Look saved').waitFor();
  const visitor = await opened.newPage();
  await visitor.goto(`/chat/${botId}`);
  await visitor.getByText('Hello!').waitFor();
  await visitor.context().close();
});

test('the secret of signed-in visitors is made in the console and shown once', async () => {
  await openPage(page, `/bots/${botId}/look`);
  await button('Make a secret').click();
  await page.getByText('Copy the secret now.').waitFor();
  const secret = await page.getByText(/^[0-9a-f]{64}$/).textContent();
  await page.reload();
  await page.getByText(`A secret is stored: `).waitFor();
  expect(await page.getByText(String(secret)).count()).toBe(0);
  await button('Rotate the secret').waitFor();
});

test('a channel is disabled and disconnected after a question', async () => {
  await openPage(page, `/bots/${botId}`);
  await channels().getByRole('button', { name: 'Disable' }).click();
  await channels().getByText('disabled', { exact: true }).waitFor();
  await channels().getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No channels yet.').waitFor();
});

test('an app is added to Slack on its own page, in the browser that began it and in no other', async () => {
  const { installation, newPage } = opened;
  const { tenantId } = installation.demo;
  const bots = `/api/bots/${tenantId}`;
  // The sandbox has one workspace, in which the demo bot is.
  const ofDemo = `${bots}/${installation.demo.botId}/integrations`;
  const connected = await installation.api<{ integrationId: string; integrationType: string }[]>(
    'GET',
    ofDemo,
  );
  const ofWorkspace = connected.find(({ integrationType }) => integrationType === 'slack');
  await installation.api('DELETE', `${ofDemo}/${ofWorkspace?.integrationId}`);
  const bot = await installation.api<{ botId: string }>('POST', `${bots}/bots`, { name: 'Slack bot' });
  await openPage(page, `/bots/${bot.botId}`);
  await button('Connect a channel').click();
  await page.getByRole('button', { name: /^Slack/ }).click();
  await button('Add to Slack').click();
  await page.getByRole('heading', { name: 'Botyard is requesting permission' }).waitFor();
  const consent = page.url();

  const other = await newPage();
  await other.goto(consent);
  await other.getByRole('button', { name: 'Allow' }).click();
  await other.getByRole('heading', { name: "This installation can't be completed" }).waitFor();
  expect(await installation.api('GET', `${bots}/${bot.botId}/integrations`)).toEqual([]);
  await other.context().close();

  await button('Allow').click();
  await page.getByRole('heading', { name: 'Connected', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.getByRole('heading', { name: 'Slack bot' }).waitFor();
  expect(await installation.api('GET', `${bots}/${bot.botId}/integrations`)).toMatchObject([
    { integrationType: 'slack' },
  ]);
});
