import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatOfMallory, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';
import { addWeatherAgent } from './weather-agent.ts';

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

test('a search shows the sentence, and the chat opens at its message however far back it is', async () => {
  const installation = opened.installation;
  await writeToDemoBot(installation, 'Good day! Do you sell zircon rings? I pay cash.');
  await eventually('it is answered', async () =>
    (await api<{ status: string; text: string }[]>('GET', `/api/interactions/chats/${chatId}/messages`)).some(
      ({ status, text }) => status === 'answered' && text.includes('zircon'),
    ),
  );
  await api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
  for (let number = 1; number <= 60; number += 1) await writeToDemoBot(installation, `later ${number}`);
  await eventually('they have arrived', async () =>
    (await api<{ text: string }[]>('GET', `/api/interactions/chats/${chatId}/messages?limit=1`)).some(
      ({ text }) => text === 'later 60',
    ),
  );
  await openPage(page, '/inbox');
  await page.getByLabel('Search').fill('ZIRCON');
  await page.getByLabel('Search').press('Enter');
  const hit = page
    .getByRole('region', { name: 'Chats' })
    .getByRole('link', { name: /Do you sell zircon rings\?/ });
  expect(await hit.locator('mark').textContent()).toBe('zircon');
  await hit.click();
  const line = messages().locator('li[aria-current=true]', { hasText: 'zircon' });
  await line.waitFor();
  const { height } = page.viewportSize()!;
  await expect
    .poll(async () => {
      const box = await line.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    })
    .toBe(true);
  await api('POST', `/api/interactions/chats/${chatId}/handback`);
});

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

test('files go to the person, the first with the text, and one that the API would refuse is said at once', async () => {
  await openTakenChat();
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const chosen = messages().getByRole('list', { name: 'Files' });
  await messages()
    .getByLabel('Files to attach')
    .setInputFiles([
      file('menu.txt', 'Soup'),
      file('wine.txt', 'Red'),
      file('left-out.txt', 'x'),
      file('empty.txt', ''),
    ]);
  await messages().getByText('Empty, or larger than 25.0 MB: empty.txt').waitFor();
  await button('Remove left-out.txt').click();
  expect(await chosen.getByRole('listitem').count()).toBe(2);
  await composer().fill('Here is the menu.');
  await button('Send').click();
  await chosen.waitFor({ state: 'detached' });
  const sent = messages().getByRole('listitem').filter({ hasText: 'sent' });
  await sent.filter({ hasText: 'menu.txt' }).filter({ hasText: 'Here is the menu.' }).waitFor();
  await sent.filter({ hasText: 'wine.txt' }).waitFor();
  const arrived = await textsToPerson();
  expect(
    ['Here is the menu.', 'menu.txt', 'wine.txt', 'left-out.txt'].map((text) => arrived.includes(text)),
  ).toEqual([true, true, true, false]);
});

test('a responder without a membership works in the inbox of their bot, sees nothing else, and nothing is refused', async () => {
  const { installation } = opened;
  const token = await installation.tokenOf('user_stranger');
  const me = await fetch(`${installation.gatewayUrl}/api/current-user`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { userId } = (await me.json()) as { userId: string };
  const { botId, tenantId } = installation.demo;
  const edge = { subject: `user:${userId}`, relation: 'responder', object: `bot:${botId}` };
  await api('POST', '/api/authorization-edges', edge);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`/?as=user_stranger&tenant=${tenantId}`);
  await page.getByRole('link', { name: /Mallory/ }).click();
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await pages.allTextContents()).toEqual(['Inbox']);
  await composer().fill('Rita here');
  await button('Send').click();
  await eventually('it has arrived', async () => (await textsToPerson()).includes('Rita here'));
  await messages().getByRole('button', { name: 'Hand back' }).click();
  await eventually('the bot handles the chat', async () => {
    const chat = await api<{ handling: string }>('GET', `/api/interactions/chats/${chatId}`);
    return chat.handling === 'bot';
  });
  await writeToDemoBot(installation, 'who are you?');
  // Else the next message would be answered together with this one.
  await eventually('it is answered', async () =>
    (await textsToPerson()).includes('I understood: “who are you?”'),
  );
  await messages().getByRole('link', { name: 'Why this answer?' }).last().click();
  await page.getByRole('region', { name: 'Why this answer' }).getByText('Model').waitFor();
  await page.getByRole('link', { name: 'Labels and replies' }).click();
  await page.getByText('refund', { exact: true }).waitFor();
  await page.goto(`/people?as=user_stranger&tenant=${tenantId}`);
  await page.getByRole('region', { name: 'Chats' }).waitFor();
  expect(refused).toEqual([]);
});

test('a call of a tool is approved in the chat that it was made for, by one click', async () => {
  await api('POST', `/api/interactions/chats/${chatId}/handback`);
  await addWeatherAgent(opened.installation);
  await openPage(page, `/inbox/${chatId}`);
  await writeToDemoBot(opened.installation, 'search the weather of Bern');
  const approval = page.getByRole('region', { name: /^Approval of .*WEATHER_TODAY/ });
  await approval.getByText('"city": "search the weather of Bern"').waitFor();
  await approval.getByRole('button', { name: 'Approve' }).click();
  await approval.waitFor({ state: 'detached' });
  const calls = await eventually('the call was made', async () => {
    const history = await api<{ outcome: string }[]>('GET', '/api/integrations/history');
    return history[0]?.outcome === 'succeeded' ? history : undefined;
  });
  expect(calls).toHaveLength(1);
});

test('several chats are selected by the keyboard, labelled and done at once', async () => {
  const { installation } = opened;
  const nora = chatOfMallory(installation).replace('700000077', '700000088');
  const body = JSON.stringify({ text: 'me too', name: 'Nora' });
  await fetch(nora, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await page.goto('/inbox');
  await page.getByRole('link', { name: /Nora/ }).waitFor();
  await api('POST', '/api/interactions/labels', { name: 'Refund' });
  await openPage(page, '/inbox');
  const links = page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: /Demo bot/ });
  await links.first().waitFor();
  const count = await links.count();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys of the inbox' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected chats' });
  await bar.getByText('1 selected').waitFor();
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('A');
  await bar.getByRole('checkbox').check();
  await bar.getByText(`${count} selected`).waitFor();
  await bar.locator('summary', { hasText: 'Label the selected' }).click();
  await bar.getByRole('button', { name: 'Refund' }).click();
  await bar.getByText(`${count} labelled.`).waitFor();
  await bar.getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Mark as done' }).click();
  await bar.getByText(`${count} done.`).waitFor();
  const chats = await api<{ state: string; labels: string[] }[]>('GET', '/api/interactions/chats');
  expect(chats.map(({ state, labels }) => [state, labels])).toEqual(
    chats.map(() => ['resolved', ['Refund']]),
  );
});

test.each([
  ['a desk', { colorScheme: 'light' as const }],
  ['a dark screen', { colorScheme: 'dark' as const }],
  ['a phone', { colorScheme: 'light' as const, viewport: { width: 390, height: 844 } }],
])(
  'on %s a chat whose window is closed is answered with a template, by the keyboard alone',
  async (_at, look) => {
    await page.context().close();
    page = await opened.newPage(look);
    await api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
    const inEnglish = { language: 'en', category: 'UTILITY', header: null, footer: null, buttons: [] };
    const orderReady = {
      ...inEnglish,
      name: 'order_ready',
      body: 'Hello {{1}}, order {{2}} is ready.',
      footer: 'Zircon shop',
      buttons: ['Where is it?'],
      parameters: [{ name: '1', example: 'Anna' }, { name: '2' }],
    };
    const templates = [{ ...inEnglish, name: 'greeting', body: 'Good day!', parameters: [] }, orderReady];
    const unavailable = [{ name: 'map', language: 'en', reason: 'its header is a place' }];
    await page.route('**/templates*', (route) => {
      const q = new URL(route.request().url()).searchParams.get('q') ?? '';
      const matching = templates.filter(({ name }) => name.includes(q));
      return route.fulfill({ json: { isWindowOpen: false, templates: matching, unavailable, isCut: false } });
    });
    const posted = Promise.withResolvers<unknown>();
    await page.route('**/messages', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      posted.resolve(route.request().postDataJSON());
      return route.fulfill({ status: 503, json: { error: 'the service is busy' } });
    });
    await openPage(page, `/inbox/${chatId}`);
    await messages().getByText('WhatsApp takes only an approved template now.').waitFor();
    expect(await composer().count()).toBe(0);
    await page.keyboard.press('r');
    await page.keyboard.type('order');
    const picker = messages().getByRole('list', { name: 'Templates' });
    await picker.getByRole('button', { name: /greeting/ }).waitFor({ state: 'detached' });
    await messages().getByText('Cannot be sent: 1').click();
    await messages().getByText('its header is a place').waitFor();
    await picker.getByRole('button', { name: /order_ready/ }).press('Enter');
    await page.keyboard.type('Anna');
    await page.keyboard.press('Tab');
    await page.keyboard.type('17');
    const preview = messages().getByRole('figure', { name: 'Preview' });
    await preview.getByText('Hello Anna, order 17 is ready.').waitFor();
    await preview.getByText('Where is it?').waitFor();
    await page.keyboard.press('Enter');
    const template = { name: 'order_ready', language: 'en', parameters: ['Anna', '17'] };
    expect(await posted.promise).toEqual({ template });
    await messages().getByText('Not sent: the service is busy').waitFor();
    expect(await page.evaluate('document.activeElement?.type')).toBe('search');
  },
);
