import { eventually } from '@botyard/testing/eventually';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await say('hello');
  chatId = await eventually('there is a chat', async () => {
    const chat = await opened.installation.firstOf('/api/interactions/chats');
    return chat?.chatId as string | undefined;
  });
  await eventually('it is answered', async () => (await stored()).includes('"direction":"out"'));
});
beforeEach(async () => {
  page = await opened.newPage();
  await page.addInitScript(withoutIntervals);
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

/** Disables polling; requests that would have been sent are counted by their interval. */
const withoutIntervals = `
  globalThis.intervals = new Map();
  globalThis.setInterval = (_work, ms) => {
    const id = Symbol(ms);
    intervals.set(id, ms);
    return id;
  };
  globalThis.clearInterval = (id) => void intervals.delete(id);
`;
/** The page shows that its chat is open so often, which asks for nothing. */
const presenceMs = 10_000;
const intervals = async () =>
  (await page.evaluate<number[]>('[...intervals.values()]')).filter((ms) => ms !== presenceMs);

const say = (text: string) => writeToDemoBot(opened.installation, text);
const messages = () => page.getByRole('region', { name: 'Messages' });
const written = (text: string) => messages().getByText(text, { exact: true });
/** The messages of the chat, as the API has them. */
const stored = async (): Promise<string> =>
  JSON.stringify(await opened.installation.api('GET', `/api/interactions/chats/${chatId}/messages`));

/** Keeps the live stream from being opened until that is allowed. */
async function holdStream(): Promise<{ isAsked: Promise<void>; release: () => Promise<void> }> {
  const firstRequest = Promise.withResolvers<void>();
  const held: Route[] = [];
  await page.route('**/api/events', (route) => {
    held.push(route);
    firstRequest.resolve();
  });
  const release = async () => {
    await page.unroute('**/api/events');
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  };
  return { isAsked: firstRequest.promise, release };
}

test('an open chat and the inbox show new messages as they are announced, and never poll', async () => {
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams.push(request.url());
  });
  await page.goto(`/inbox/${chatId}`);
  await written('hello').waitFor();
  await eventually('nothing is asked for by the clock', async () => (await intervals()).length === 0);
  await say('told by an event');
  await written('told by an event').waitFor();
  await messages().getByText('I understood: “told by an event”').waitFor();
  await page
    .getByRole('region', { name: 'Chats' })
    .getByText(/told by an event/)
    .waitFor();
  await page.getByRole('link', { name: 'Inbox', exact: true }).click();
  await page.getByRole('link', { name: /Mallory/ }).click();
  await say('told to the next page');
  await written('told to the next page').waitFor();
  expect(streams).toHaveLength(1);
});

test('a message from before the stream was open is loaded once it is open', async () => {
  const { isAsked, release } = await holdStream();
  await page.goto(`/inbox/${chatId}`);
  await written('hello').waitFor();
  await isAsked;
  await say('nobody tells of this');
  await eventually('it is stored', async () => (await stored()).includes('nobody tells of this'));
  expect(await written('nobody tells of this').count()).toBe(0);
  await release();
  await written('nobody tells of this').waitFor();
});

test('while the stream is down the chat is polled slowly, and missed messages are loaded when it is back', async () => {
  await page.goto(`/inbox/${chatId}`);
  await written('hello').waitFor();
  await eventually('the stream is open', async () => (await intervals()).length === 0);
  const { isAsked, release } = await holdStream();
  await opened.installation.api('POST', '/api/system/services/agents/restart');
  await isAsked;
  await eventually('it is asked for slowly', async () => {
    const all = await intervals();
    return all.length > 0 && all.every((ms) => ms === 15_000);
  });
  await say('missed');
  await eventually('it is stored', async () => (await stored()).includes('"text":"missed"'));
  expect(await written('missed').count()).toBe(0);
  await release();
  await written('missed').waitFor();
});

/** Holds the page's requests, and refuses them on demand. */
async function holdRequests(url: string): Promise<{ refuse: () => Promise<void> }> {
  const held = Promise.withResolvers<Route>();
  await page.route(url, (route) =>
    route.request().method() === 'GET' ? route.continue() : held.resolve(route),
  );
  const json = { error: 'the service is busy' };
  const refuse = async () => await (await held.promise).fulfill({ status: 503, json });
  return { refuse };
}
const refusal = () => page.getByText('the service is busy').first();
const button = (name: string) => page.getByRole('button', { name, exact: true });

test('a chat that is taken over shows it before the API has answered, and reverts when that refuses', async () => {
  await page.goto(`/inbox/${chatId}`);
  const { refuse } = await holdRequests('**/takeover');
  await button('Take over').press('Enter');
  await messages().getByLabel('Message').waitFor();
  const chat = page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: /Mallory/ });
  await chat.getByText('with a person').waitFor();
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
  await refuse();
  await messages().getByText('The bot answers in this chat.').waitFor();
  await chat.getByText('with a person').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Messages');
  await refusal().waitFor();
});

test('a chat that is assigned or given back shows it before the API has answered, and reverts when that refuses', async () => {
  await opened.installation.api('POST', `/api/interactions/chats/${chatId}/takeover`, {
    assigneeUserId: null,
  });
  await page.goto(`/inbox/${chatId}`);
  const assignee = page.getByLabel('Assigned to');
  const chosen = () => assignee.locator('option:checked').textContent();
  await assignee.getByRole('option', { name: 'Max Member' }).waitFor({ state: 'attached' });
  const { refuse } = await holdRequests('**/takeover');
  await assignee.selectOption({ label: 'Max Member' });
  await page.getByText('with Max Member').waitFor();
  await refuse();
  await refusal().waitFor();
  await eventually('it is as it was', async () => (await chosen()) === 'Unassigned');
  await page.unroute('**/takeover');
  await assignee.selectOption({ label: 'Max Member' });
  await page.getByText('Chat assigned.').waitFor();
  expect(await chosen()).toBe('Max Member');

  const giving = await holdRequests('**/handback');
  await button('Hand back').click();
  await messages().getByText('The bot answers in this chat.').waitFor();
  await giving.refuse();
  await messages().getByLabel('Message').waitFor();
  await page.unroute('**/handback');
  await button('Hand back').click();
  await page.getByText('Chat handed back.').waitFor();
  await messages().getByText('The bot answers in this chat.').waitFor();
});

test('a channel that is switched off shows it immediately, and is on again when that is refused', async () => {
  await page.goto(`/bots/${opened.installation.demo.botId}`);
  const channel = page
    .getByRole('region', { name: 'Channels' })
    .getByRole('listitem')
    .filter({ hasText: 'Telegram' });
  const { refuse } = await holdRequests('**/integrations/*');
  await channel.getByRole('button', { name: 'Disable' }).click();
  await channel.getByRole('button', { name: 'Enable' }).waitFor();
  await refuse();
  await channel.getByRole('button', { name: 'Disable' }).waitFor();
  await refusal().waitFor();
});

const setState = (state: string) =>
  opened.installation.api('PUT', `/api/interactions/chats/${chatId}`, { state });

test('the sidebar and the phone count the chats that wait for a person as it happens, and ask once for all pages', async () => {
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/chats/counts')) asked += 1;
  });
  await openPage(page, '/agents');
  await eventually('the stream is open', async () => (await intervals()).length === 0);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
  await setState('waiting');
  await pages.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
  const before = asked;
  for (const name of ['Bots', 'Keys', 'Agents']) {
    await pages.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  }
  expect(asked).toBe(before);
  await page.setViewportSize({ width: 390, height: 844 });
  await page
    .getByRole('navigation', { name: 'First pages' })
    .getByRole('link', { name: 'Inbox 1 waiting' })
    .waitFor();
});

test('a responder is told the number of their chats that wait, and of no others', async () => {
  const { installation } = opened;
  const { tenantId, botId } = installation.demo;
  const other = await installation.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, {
    name: 'Other',
  });
  const headers = { authorization: `Bearer ${await installation.tokenOf('user_stranger')}` };
  const me = await fetch(`${installation.gatewayUrl}/api/current-user`, { headers });
  const { userId } = (await me.json()) as { userId: string };
  const letWorkFor = (bot: string) =>
    installation.api('POST', '/api/authorization-edges', {
      subject: `user:${userId}`,
      relation: 'responder',
      object: `bot:${bot}`,
    });
  await letWorkFor(other.botId);
  const address = `/inbox?as=user_stranger&tenant=${tenantId}`;
  await openPage(page, address);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await page
    .getByRole('navigation', { name: 'Queues' })
    .getByRole('link', { name: 'Unassigned 0' })
    .waitFor();
  await pages.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
  await letWorkFor(botId);
  await openPage(page, address);
  await pages.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
  await setState('open');
  await pages.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
});
