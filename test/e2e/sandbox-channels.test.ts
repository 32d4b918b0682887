import { eventually } from '@botyard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../tools/browser/open-browser.ts';
import { LocalInstallation } from './attack/local-installation.ts';

let installation: LocalInstallation;
let browser: Browser;

beforeAll(async () => {
  installation = await LocalInstallation.start();
  browser = await openBrowser([]);
});
afterAll(async () => {
  await browser?.close();
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

const sandbox = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const answer = await fetch(`${installation.sandboxUrl}/api/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(answer.ok, `${method} ${path}`).toBe(true);
  return (await answer.json()) as Shown;
};

interface Lines {
  id?: string;
  phone?: string;
  messages: { text: string }[];
}

/** A page of the sandbox: of Slack or of WhatsApp. */
interface Shown {
  people: Lines[];
  channels: Lines[];
  address: string | null;
}

/** Resolves when the bot has answered in a chat that the sandbox shows. */
const answered = (path: string, linesOf: (shown: Shown) => Lines | undefined) =>
  eventually(
    `an answer in ${path}`,
    async () => {
      const lines = linesOf(await sandbox('GET', path));
      return lines?.messages.some(({ text }) => text.includes('I understood'));
    },
    { timeoutMs: 60_000 },
  );

const answers = (page: Page) => page.getByRole('log').locator('.message.bot .bubble, .message.staff .bubble');

test('the site asks through the gateway and is answered, and a person takes over from the inbox', async () => {
  const { page, complaints } = await open(`${installation.sandboxUrl}/site`);
  await page.locator('.launcher').click();
  await ask(page, 'What are your opening hours?');
  await expect.poll(() => answers(page).count(), { timeout: 60_000 }).toBeGreaterThan(0);
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
  await expect.poll(() => answers(page).count(), { timeout: 60_000 }).toBeGreaterThan(0);
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

test('a person of the workspace on Slack is answered', async () => {
  await sandbox('POST', 'slack/messages', { channelId: 'D0ANNA', personId: 'U0ANNA', text: 'hello' });
  await answered('slack', ({ channels }) => channels.find(({ id }) => id === 'D0ANNA'));
});

test('a person on WhatsApp is answered', async () => {
  const phone = '491701112223';
  await eventually(
    'the number is registered',
    async () => (await sandbox('GET', 'whatsapp')).address !== null,
  );
  await sandbox('POST', 'whatsapp/messages', { phone, text: 'hello' });
  await answered('whatsapp', ({ people }) => people.find((person) => person.phone === phone));
});
