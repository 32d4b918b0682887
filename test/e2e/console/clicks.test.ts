import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CountedPage, looks } from './count-clicks.ts';
import { chatOfMallory, type OpenConsole, openConsole, writeToDemoBot } from './open-console.ts';
import { addWeatherAgent } from './weather-agent.ts';

let opened: OpenConsole;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await writeToDemoBot(opened.installation, 'do you sell zircon rings?');
  const chat = await eventually('there is an answered chat', async () => {
    const first = await opened.installation.firstOf('/api/interactions/chats');
    return (first?.lastMessage as { author: { kind: string } } | null)?.author.kind === 'bot' && first;
  });
  await addWeatherAgent(opened.installation);
  chatId = (chat as { chatId: string }).chatId;
});
afterAll(() => opened?.close());

describe.each(Object.entries(looks))('%s', (look, options) => {
  let counted: CountedPage;
  let page: Page;
  beforeAll(async () => {
    counted = await CountedPage.open(opened, options);
    ({ page } = counted);
  });
  afterEach(async () => {
    await api('POST', `/api/interactions/chats/${chatId}/handback`);
  });
  afterAll(() => counted?.close());

  const api: OpenConsole['installation']['api'] = (...request) => opened.installation.api(...request);
  const begin = (path: string) => counted.begin(path);
  const button = (name: string) => counted.button(name);
  const link = (name: string | RegExp) => counted.link(name);
  const messages = () => page.getByRole('region', { name: 'Messages' });

  test('a chat is found by words with one click', async () => {
    await begin('/inbox');
    await page.getByLabel('Search').fill('zircon');
    await page.getByLabel('Search').press('Enter');
    await link(/do you sell zircon rings/).click();
    await messages().getByText('do you sell zircon rings?', { exact: true }).waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(1);
  });

  test('a chat is taken over and answered with three clicks, and given back with one more', async () => {
    await begin('/inbox');
    const text = `Ada here, ${look}`;
    await link(/Mallory/).click();
    await button('Take over').click();
    await messages().getByLabel('Message', { exact: true }).fill(text);
    await button('Send').click();
    await eventually('it has arrived', async () =>
      (await (await fetch(chatOfMallory(opened.installation))).text()).includes(text),
    );
    expect(counted.clicks).toBeLessThanOrEqual(3);
    await button('Hand back').click();
    await button('Take over').waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4);
  });

  test('why a bot answered so is shown by one click, and the agent is mended with three more', async () => {
    await begin(`/inbox/${chatId}`);
    await messages().getByRole('link', { name: 'Why this answer?' }).last().click();
    await page.getByRole('region', { name: 'Why this answer' }).getByText('Model').first().waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(1);
    await link('Change the agent').click();
    await page.getByLabel('Instructions').fill(`We sell rings, ${look}.`);
    await page.getByText('Draft saved').waitFor();
    await button('Go live').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go live' }).click();
    await page.getByText(/^Version \d+ is live\./).waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4);
  });

  test('a call is approved in its chat by one click', async () => {
    await begin(`/inbox/${chatId}`);
    await writeToDemoBot(opened.installation, `search the weather of Bern ${look}`);
    const approval = page
      .getByRole('region', { name: /^Approval of .*WEATHER_TODAY/ })
      .filter({ hasText: `Bern ${look}` });
    await approval.getByRole('button', { name: 'Approve' }).click();
    await approval.waitFor({ state: 'detached' });
    expect(counted.clicks).toBeLessThanOrEqual(1);
  });

  test('a quota is set with at most four clicks from home', async () => {
    await begin('/');
    await counted.goTo('Usage');
    await page.getByRole('button', { name: /(Set a|Change the) quota/ }).click();
    await page.getByRole('dialog').getByLabel('Messages', { exact: true }).fill('100000');
    await page.getByRole('dialog').getByRole('button', { name: /quota/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(counted.clicks).toBeLessThanOrEqual(4);
  });

  if (look === 'on a phone') return;
  test('a chat is taken over and answered with four keys beside the text', async () => {
    await begin('/inbox');
    await link(/Mallory/).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await button('Take over').waitFor();
    await page.keyboard.press('r');
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    await page.keyboard.type('by the keyboard');
    await page.keyboard.press('Control+Enter');
    await messages().getByText('by the keyboard', { exact: true }).waitFor();
    expect([counted.clicks, counted.keys]).toEqual([0, 4]);
  });
});
