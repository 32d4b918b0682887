import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addAgentOfTwoMinds } from '../released-agent.ts';
import { addTestRun } from './add-test-run.ts';
import { createButton, type OpenConsole, openConsole, openPage } from './open-console.ts';

const server = new FakeMcpServer();
let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  await server.listen();
  opened = await openConsole({ EGRESS_ALLOWED_HOSTS: server.host });
});
beforeEach(async () => {
  page = await opened.newPage();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(async () => {
  await opened?.close();
  await server.close();
});

const api: OpenConsole['installation']['api'] = (...request) => opened.installation.api(...request);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const press = (key: string) => page.keyboard.press(key);
const focused = () => page.evaluate<string>('document.activeElement.tagName');

const maxPresses = 120;

/** Moves on with Tab until an element has the focus, which is never nowhere on the way. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  const isReached = () => target.evaluate<boolean, HTMLElement>((element) => element.matches(':focus'));
  for (let presses = 0; presses < maxPresses && !(await isReached()); presses += 1) {
    await press('Tab');
    expect(await focused()).not.toBe('BODY');
  }
  expect(await isReached()).toBe(true);
}

/** Opens a page and skips to its content, as people with a keyboard do. */
async function enter(path: string): Promise<void> {
  await openPage(page, path);
  await tabTo(page.getByRole('link', { name: 'Skip to content' }));
  await press('Enter');
  await page.locator('main:focus').waitFor();
}

/** The dialog is gone, and the focus on something of the page. */
async function expectLeft(): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(focused).not.toBe('BODY');
}

test('a dialog of a creation is opened, left, opened again and sent with the keyboard alone', async () => {
  await enter('/inbox/texts');
  await tabTo(createButton(page, 'New canned reply'));
  await press('Enter');
  await page.getByRole('dialog').locator('input[name=name]:focus').waitFor();
  await press('Escape');
  await expectLeft();
  await createButton(page, 'New canned reply').and(page.locator(':focus')).waitFor();
  await press('Space');
  await page.getByRole('dialog').locator('input[name=name]:focus').waitFor();
  await page.keyboard.type('hours');
  await press('Tab');
  await page.keyboard.type('We open at nine.');
  await tabTo(inDialog('Create reply'));
  await press('Enter');
  await page.locator('tr:focus', { hasText: 'We open at nine.' }).waitFor();
  await expectLeft();
});

test('a version is released and withdrawn again with the keyboard alone', async () => {
  const agentId = await addAgentOfTwoMinds(opened.installation, 'Released by keys');
  await enter(`/agents/${agentId}`);
  await tabTo(button('Release a version …'));
  await press('Enter');
  await field('Version').and(page.locator(':focus')).waitFor();
  await press('2');
  await press('Tab');
  await press('ArrowDown');
  await tabTo(field('Percent'));
  await press('Control+a');
  await page.keyboard.type('7');
  await press('Enter');
  await page.getByText(/^Version \d answers 7 % of new chats\./).waitFor();
  await expectLeft();
  await tabTo(button('Withdraw'));
  await press('Enter');
  await field('Reason').and(page.locator(':focus')).waitFor();
  await press('Escape');
  await expectLeft();
  await button('Withdraw').and(page.locator(':focus')).waitFor();
  await press('Enter');
  await field('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Too early.');
  await tabTo(button('Withdraw now'));
  await press('Enter');
  await page.getByText('Too early.').waitFor();
  await expectLeft();
});

test('the question if an answer helped is switched on with the keyboard alone', async () => {
  const { tenantId, botId } = opened.installation.demo;
  await enter(`/bots/${botId}`);
  const question = page.getByRole('checkbox', { name: 'Ask people if an answer helped' });
  await tabTo(question);
  await press('Space');
  expect(await question.isChecked()).toBe(true);
  await tabTo(
    page.locator('form:has([name=asksForRating])').getByRole('button', { name: 'Save', exact: true }),
  );
  await press('Enter');
  await page.getByText('Bot saved.').waitFor();
  await expect
    .poll(
      async () =>
        (await api<{ asksForRating: boolean }>('GET', `/api/bots/${tenantId}/${botId}`)).asksForRating,
    )
    .toBe(true);
  await button('Save').and(page.locator(':focus')).waitFor();
});

test('an answer of a judged run is opened, marked, marked otherwise and folded with the keyboard alone', async () => {
  await addTestRun(opened.installation, {
    name: 'Judged by keys',
    agentId: opened.installation.demo.agentId,
    testCase: { name: 'Are lamps kind?', messages: [{ role: 'user', text: 'Are lamps kind?' }] },
    judge: {
      rubric: 'The answer has the word "kind".',
      provider: 'private-llm',
      model: 'sandbox',
      repeats: 1,
    },
  });
  const run = await opened.installation.firstOf('/api/evaluations/runs');
  await enter(`/tests/runs/${run?.runId}`);
  const testCase = page.getByRole('link', { name: 'Are lamps kind?', exact: true });
  await tabTo(testCase);
  await press('Enter');
  await tabTo(button('Good'));
  await press('Enter');
  await page
    .getByRole('button', { name: 'Good', exact: true, pressed: true })
    .and(page.locator(':focus'))
    .waitFor();
  await page.getByText('agrees with people about 1 of 1 marked answers').waitFor();
  await press('b');
  await page.getByRole('button', { name: 'Bad', exact: true, pressed: true }).waitFor();
  await page.getByText('agrees with people about 0 of 1 marked answers').waitFor();
  expect(await focused()).toBe('BUTTON');
  for (let presses = 0; presses < maxPresses && (await focused()) !== 'BODY'; presses += 1) {
    if (await testCase.evaluate<boolean, HTMLElement>((link) => link.matches(':focus'))) break;
    await press('Shift+Tab');
  }
  await press('Enter');
  await button('Good').waitFor({ state: 'detached' });
  await testCase.and(page.locator(':focus')).waitFor();
});

test('a tool server is added, and one of its tools reviewed, allowed and given, with the keyboard alone', async () => {
  server.tools = [{ name: 'weather.today', title: 'Weather', description: 'Tells the weather of a city.' }];
  await enter('/agents/servers');
  await tabTo(createButton(page, 'Add a server'));
  await press('Enter');
  await field('Address').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(server.url);
  await tabTo(field('Name'));
  await page.keyboard.type('Weather');
  await press('Enter');
  await page.getByRole('heading', { name: 'Weather', level: 1 }).waitFor();
  await expectLeft();
  await tabTo(button('Review weather.today'));
  await press('Enter');
  await page.getByRole('dialog').getByText('Tells the weather of a city.').waitFor();
  await tabTo(page.getByRole('dialog').getByLabel('It only reads'));
  await press('Space');
  await tabTo(inDialog('Allow this definition'));
  await press('Enter');
  await page.getByRole('dialog').getByText('Agents that you give it to can use it.').waitFor();
  await expect.poll(focused).not.toBe('BODY');
  await tabTo(inDialog('Add to your tools'));
  await press('Enter');
  await page.getByRole('dialog').getByRole('link', { name: 'weather_today' }).waitFor();
  await expect.poll(focused).not.toBe('BODY');
  await press('Escape');
  await expectLeft();
  await button('Review weather.today').and(page.locator(':focus')).waitFor();
});
