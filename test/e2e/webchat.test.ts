import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../tools/browser/open-browser.ts';
import { LocalInstallation } from './attack/local-installation.ts';

let installation: LocalInstallation;
let browser: Browser;
let site: Server;
let siteOrigin: string;

beforeAll(async () => {
  installation = await LocalInstallation.start();
  browser = await openBrowser([]);
  const { gatewayUrl, demo } = installation;
  site = createServer((_req, res) => {
    const policy = `default-src 'none'; script-src ${gatewayUrl}; connect-src ${gatewayUrl}; img-src ${gatewayUrl}`;
    res
      .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
      .end(
        `<!doctype html><title>Shop</title><body><script src="${gatewayUrl}/chat.js" data-bot="${demo.botId}"></script>`,
      );
  });
  site.listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
  siteOrigin = `http://shop.localhost:${(site.address() as AddressInfo).port}`;
  const settings = { webchat: { allowedOrigins: [siteOrigin], words: { en: { greeting: 'Hello!' } } } };
  const created = await api('POST', `/api/bots/${demo.tenantId}/${demo.botId}/integrations`, {
    integrationType: 'webchat',
    credentials: {},
    settings,
  });
  expect(created.status).toBe(201);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  site?.closeAllConnections();
  await installation?.stop();
});

const api = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${installation.gatewayUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
};

async function open(address: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(address);
  return { page, complaints };
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').fill(text);
  await page.getByRole('textbox').press('Enter');
}

const answers = (page: Page) => page.getByRole('log').locator('.message.bot .bubble, .message.staff .bubble');

test('a page of another site asks through the gateway and is answered, and a person takes over from the inbox', async () => {
  const { page, complaints } = await open(siteOrigin);
  await page.locator('.launcher').click();
  await ask(page, 'What are your opening hours?');
  await expect.poll(() => answers(page).count(), { timeout: 60_000 }).toBeGreaterThan(1);
  const chat = await eventually('the chat is in the inbox', async () => {
    const { body } = await api('GET', '/api/interactions/chats');
    return (body as { chatId: string; platform: string }[]).find(({ platform }) => platform === 'webchat');
  });
  expect((await api('POST', `/api/interactions/chats/${chat.chatId}/takeover`, {})).status).toBe(200);
  await api('POST', `/api/interactions/chats/${chat.chatId}/messages`, { text: 'Ben here, how can I help?' });
  await page.getByText('Ben here, how can I help?').waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test('the hosted page works without any allowed site, and other sites are refused', async () => {
  const { page, complaints } = await open(`${installation.gatewayUrl}/chat/${installation.demo.botId}`);
  await ask(page, 'Hello from the hosted page');
  await expect.poll(() => answers(page).count(), { timeout: 60_000 }).toBeGreaterThan(1);
  expect(complaints).toEqual([]);
  await page.close();
  const answer = await fetch(
    `${installation.gatewayUrl}/webhooks/webchat/${installation.demo.botId}/messages`,
    {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
      body: '{}',
    },
  );
  expect(answer.status).toBe(403);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});
