import { eventually } from '@botyard/testing/eventually';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenConsole, openConsole, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await say('hello');
  chatId = await eventually('there is a chat', async () => {
    const chat = await opened.house.firstOf('/api/interactions/chats');
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

/** Nothing is ever asked for because time has passed; what would have been asked is counted by its interval. */
const withoutIntervals = `
  globalThis.intervals = new Map();
  globalThis.setInterval = (_work, ms) => {
    const id = Symbol(ms);
    intervals.set(id, ms);
    return id;
  };
  globalThis.clearInterval = (id) => void intervals.delete(id);
`;
const intervals = () => page.evaluate<number[]>('[...intervals.values()]');

const say = (text: string) => writeToDemoBot(opened.house, text);
const messages = () => page.getByRole('region', { name: 'Messages' });
const written = (text: string) => messages().getByText(text, { exact: true });
/** The messages of the chat, as the API has them. */
const stored = async (): Promise<string> =>
  JSON.stringify(await opened.house.api('GET', `/api/interactions/chats/${chatId}/messages`));

/** Keeps the live stream from being opened until that is allowed. */
async function holdStream(): Promise<{ isAsked: Promise<void>; release: () => Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const held: Route[] = [];
  await page.route('**/api/events', (route) => {
    held.push(route);
    asked.resolve();
  });
  const release = async () => {
    await page.unroute('**/api/events');
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  };
  return { isAsked: asked.promise, release };
}

test('an open chat and the inbox show what is written as it is told, and ask for nothing by the clock', async () => {
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

test('what was written before the stream was open is read once it is', async () => {
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

test('while the stream is away the chat is asked for slowly, and what was missed is read when it is back', async () => {
  await page.goto(`/inbox/${chatId}`);
  await written('hello').waitFor();
  await eventually('the stream is open', async () => (await intervals()).length === 0);
  const { isAsked, release } = await holdStream();
  await opened.house.api('POST', '/api/system/services/agents/restart');
  await isAsked;
  await eventually('it is asked for slowly', async () => {
    const all = await intervals();
    return all.length === 4 && all.every((ms) => ms === 15_000);
  });
  await say('missed');
  await eventually('it is stored', async () => (await stored()).includes('"text":"missed"'));
  expect(await written('missed').count()).toBe(0);
  await release();
  await written('missed').waitFor();
});
