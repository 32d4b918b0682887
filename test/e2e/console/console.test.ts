import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { consolePages, consolePaths } from '@botyard/contracts/console-paths';
import { eventually } from '@botyard/testing/eventually';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleFolder } from '../../../console/build/sources.ts';
import {
  chatOfMallory,
  createButton,
  type OpenConsole,
  openConsole,
  openPage,
  writeToDemoBot,
} from './open-console.ts';

const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script> {{7*7}}';

let opened: OpenConsole;
let page: Page;
let complaints: OpenConsole['complaints'];
beforeAll(async () => {
  opened = await openConsole();
  ({ complaints } = opened);
  page = await opened.newPage();
});
afterAll(() => opened?.close());

const open = (path: string) => page.goto(path);
const say = (text: string) => writeToDemoBot(opened.installation, text);

/** Names of the JavaScript files that a page has loaded, or only of those that its first view needs. */
const loadedScripts = async (of: Page, ofFirstView = false): Promise<string[]> => {
  const paths = await of.evaluate((onlyFirst) => {
    const shown = performance.getEntriesByName('botyard:first-view')[0]?.startTime;
    return performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => !onlyFirst || shown === undefined || startTime < shown)
      .map(({ name }) => new URL(name).pathname);
  }, ofFirstView);
  return paths.filter((path) => path.startsWith(consolePaths.files) && path.endsWith('.js'));
};
const nameOf = (path: string): string => basename(path).replace(/-[0-9a-f]+\.js$/, '');

test('the first view loads 100 kB of JavaScript at most, over the wire, and neither charts nor an editor', async () => {
  const fresh = await opened.newPage();
  await openPage(fresh, '/');
  const first = await loadedScripts(fresh, true);
  const files = first.map((path) => join(consoleFolder, 'dist/assets', `${basename(path)}.gz`));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(
    `the first view: ${(bytes / 1000).toFixed(1)} kB of JavaScript in ${first.length} files\n`,
  );
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(100_000);
  for (const later of ['usage', 'studio', 'waterfall', 'path-graph'])
    expect(first.map(nameOf)).not.toContain(later);
  await openPage(fresh, '/usage');
  expect((await loadedScripts(fresh)).map(nameOf)).toContain('usage');
  await fresh.context().close();
});

test.each([
  ['/inbox', '**/api/interactions/chats?queue=all&sort=-lastMessageAt&limit=30'],
  ['/', '**/api/dashboard/status'],
  ['/', '**/api/dashboard/activity?unit=day&*'],
])(
  "what %s shows first of %s is asked for before the console's code is there, and once",
  async (path, address) => {
    const fresh = await opened.newPage();
    const isAsked = Promise.withResolvers<void>();
    const isCodeLoaded = Promise.withResolvers<void>();
    let requests = 0;
    await fresh.route(address, async (route) => {
      requests += 1;
      isAsked.resolve();
      await isCodeLoaded.promise;
      await route.continue();
    });
    // Live events refresh what is shown, which isn't counted here.
    await fresh.route('**/api/events', (route) => route.abort());
    await fresh.route('**/assets/main-*.js', async (route) => {
      await isAsked.promise;
      await route.continue();
    });
    await fresh.goto(path, { waitUntil: 'commit' });
    await fresh.getByRole('navigation', { name: 'Pages' }).waitFor();
    isCodeLoaded.resolve();
    await fresh.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    await fresh.getByRole('heading', { level: 1 }).waitFor();
    expect(requests).toBe(1);
    await fresh.context().close();
  },
);

test('a new author appears in the inbox, and an answer shows the reasons for it', async () => {
  await say('hello');
  await open('/inbox');
  await page.getByRole('link', { name: /Mallory/ }).click();
  await page.getByRole('link', { name: 'Why this answer?' }).first().click();
  const why = page.getByRole('region', { name: 'Why this answer' });
  await why.getByRole('link', { name: 'Close' }).click();
  expect(complaints).toEqual([]);
});

test('the inbox is searched for message texts, and filtered by the assignee of a chat', async () => {
  await page.getByLabel('Search').fill('HELLO');
  await page.getByLabel('Search').press('Enter');
  const chat = page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: /Mallory/ });
  await chat.waitFor();
  await page.getByText('Filter and sort').click();
  await page.getByLabel('Handled by').selectOption({ label: 'Person' });
  await page.getByText('No matching chats.').waitFor();
  await page.getByLabel('Handled by').selectOption({ label: 'All' });
  await chat.waitFor();
  await page.getByLabel('Search').fill('nobody has written this');
  await page.getByLabel('Search').press('Enter');
  await page.getByText('No matching chats.').waitFor();
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Search').press('Enter');
  await chat.waitFor();
  expect(complaints).toEqual([]);
});

test('take over and hand back: a person writes into a chat, and the bot answers the next message', async () => {
  const messages = page.getByRole('region', { name: 'Messages' });
  const textsToPerson = async () => {
    const answer = await fetch(chatOfMallory(opened.installation));
    return await answer.text();
  };
  await messages.getByRole('button', { name: 'Take over' }).click();
  await messages.getByLabel('Message').fill('Mary here, at your service.');
  await messages.getByRole('button', { name: 'Send' }).click();
  await messages.getByText('Mary here, at your service.', { exact: true }).waitFor();
  await messages.getByText('(staff)').waitFor();
  await eventually('it has arrived', async () => (await textsToPerson()).includes('Mary here'));
  await say('thank you, Mary');
  await messages.getByText('thank you, Mary', { exact: true }).waitFor();
  await messages.getByText('not answered by the bot').waitFor();
  await messages.getByLabel('Assigned to').selectOption({ label: 'Unassigned' });
  await messages.getByRole('button', { name: 'Hand back' }).click();
  await messages.getByRole('button', { name: 'Take over' }).waitFor();
  await say('are you a bot again?');
  await eventually('the bot answers again', async () => {
    const lines = await messages.getByRole('listitem').allInnerTexts();
    return lines.at(-1)?.startsWith('Bot') && lines.at(-2)?.includes('are you a bot again?');
  });
  expect(complaints).toEqual([]);
});

test('texts of people and models are shown as text, letter by letter', async () => {
  await say(hostile);
  await page.getByText(hostile, { exact: true }).first().waitFor();
  expect(await page.title()).toBe('Inbox · Botyard');
  expect(complaints).toEqual([]);
});

test('every page opens at its address, under its content policy', async () => {
  for (const path of consolePages) {
    await open(`/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  expect(complaints).toEqual([]);
});

test('a key is stored, and only its mask is returned', async () => {
  await open('/keys');
  await createButton(page, 'Add a key').click();
  await page.getByLabel('Key', { exact: true }).fill('sk-test-0123456789abcdefghijklmnop');
  await page.getByRole('button', { name: 'Add key' }).click();
  await page.getByRole('cell', { name: 'openai' }).first().waitFor();
  expect(await page.content()).not.toContain('0123456789abcdefghijklmnop');
});

test("a bot's own words are written in a language, shown beside the default, and removed again", async () => {
  await open('/bots');
  await page.getByRole('region', { name: 'Bots' }).getByRole('link').first().click();
  await page.getByRole('link', { name: 'Standard texts', exact: true }).click();
  await page.getByRole('link', { name: 'German' }).click();
  await page.getByRole('heading', { name: 'Texts in German' }).waitFor();
  const greeting = page.getByLabel('greeting', { exact: true });
  expect(await greeting.getAttribute('placeholder')).toMatch(/^Hallo! Ich bin \{bot\}/);
  await greeting.fill(`Moin, {bot}! <b>${'x'.repeat(20)}</b>`);
  await page.getByRole('button', { name: 'Save texts' }).click();
  await page.getByRole('link', { name: 'German (1)' }).waitFor();
  await greeting.fill('{secret}');
  await page.getByRole('button', { name: 'Save texts' }).click();
  await page.getByText('must have nothing in braces but {bot}').first().waitFor();
  await greeting.fill('');
  await page.getByRole('button', { name: 'Save texts' }).click();
  await page.getByRole('link', { name: 'German', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test("an agent is given tools by their names, shows a faulty tool's error beside it, and can remove it", async () => {
  const { installation } = opened;
  await installation.api('POST', '/api/definitions/tools/sync');
  const gone = await installation.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'opening_hours',
    kind: 'http_get',
    description: hostile,
    settings: { hosts: ['example.com'] },
  });
  const capability = { name: 'Sums', description: 'Knows how to add', instructions: 'Add.' };
  await installation.api('POST', '/api/definitions/capabilities', capability);
  await open('/agents/new');
  await page.getByLabel('Name', { exact: true }).fill('Equipped');
  await page.getByLabel('Instructions', { exact: true }).fill('Use what you have.');
  await page.getByLabel('Model', { exact: true }).fill('sandbox');
  const tools = page.getByRole('group', { name: 'Tools', exact: true });
  const chosen = tools.getByRole('list', { name: 'Tools', exact: true });
  await tools.getByLabel('Add a tool').fill('opening');
  await tools.getByText(hostile, { exact: true }).waitFor();
  await tools.getByLabel('Add a tool').press('Enter');
  await tools.getByRole('button', { name: 'Add opening_hours' }).press('Enter');
  await tools.getByLabel('Add a tool').fill('calculator');
  await tools.getByRole('button', { name: 'Add calculator' }).click();
  const capabilities = page.getByRole('group', { name: 'Capabilities', exact: true });
  await capabilities.getByRole('button', { name: 'Add Sums' }).click();

  await installation.api('DELETE', `/api/definitions/tools/${gone.id}`);
  await page.getByRole('button', { name: 'Create agent' }).click();
  await chosen.getByRole('listitem').first().getByText('is not a tool of this tenant').waitFor();
  await chosen
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('Version 1 is live.').waitFor();
  await chosen.getByText('calculator', { exact: true }).waitFor();
  await capabilities.getByRole('list', { name: 'Capabilities', exact: true }).getByText('Sums').waitFor();

  await chosen.getByRole('button', { name: 'Remove calculator' }).click();
  await page.getByText('Draft saved').waitFor();
  await page.getByRole('button', { name: 'Go live', exact: true }).click();
  await page.getByRole('dialog').locator('del').getByText('calculator', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Go live now' }).click();
  await page.getByText('Version 2 is live.').waitFor();
  await page.getByText('Changed: tools').waitFor();
  expect(await chosen.getByRole('listitem').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the palette finds things by their names with the keyboard alone, and shows names as text', async () => {
  const { installation } = opened;
  await installation.api('POST', '/api/definitions/agents', {
    name: hostile.slice(0, 90),
    instructions: 'x',
    provider: 'private-llm',
    model: 'sandbox',
  });
  await open('/usage');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/^Search pages/).fill('onerror=');
  await page.getByRole('option').getByText(hostile.slice(0, 90), { exact: true }).first().waitFor();

  await find('Demo bot', 'Bots', /Demo bot/);
  await page.getByRole('heading', { name: 'Demo bot', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/bots/${installation.demo.botId}`);
  await find('max', 'People', /Max Member/);
  await page.getByRole('row', { name: /Max Member/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('max@people.sandbox.test');
  expect(await page.getByLabel('Search').inputValue()).toBe('max@people.sandbox.test');
  await find('Mallory', 'Chats', /Mallory/);
  await page.getByRole('region', { name: 'Messages' }).waitFor();
  expect(complaints).toEqual([]);
});

/** Selects a search result of one kind by the keyboard. */
async function find(text: string, kind: string, name: RegExp): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/^Search pages/).fill(text);
  const option = page.getByRole('group', { name: kind }).getByRole('option', { name }).first();
  await option.waitFor();
  await eventually('it is chosen', async () => {
    if ((await option.getAttribute('aria-selected')) === 'true') return true;
    await page.keyboard.press('ArrowDown');
    return false;
  });
  await page.keyboard.press('Enter');
}

test('the palette reports when nothing has that name, and which kinds of things could not be searched', async () => {
  const other = await opened.newPage();
  await other.route('**/api/admin/apps?*', (route) =>
    route.fulfill({ status: 503, json: { error: 'the service is busy' } }),
  );
  await other.goto('/usage');
  await other.getByRole('heading', { level: 1 }).waitFor();
  await other.keyboard.press('Control+k');
  await other.getByPlaceholder(/^Search pages/).fill('no thing is called that');
  await other.getByText('No results.').waitFor();
  const fault = other.getByRole('region', { name: 'Apps could not be searched' });
  await fault.getByText('the service is busy').waitFor();
  await other.context().close();
});

test("the palette doesn't wait for answers to an outdated search", async () => {
  const other = await opened.newPage();
  const isStale = (url: string) => new URL(url).searchParams.get('q') === 'Gui';
  await other.route('**/api/definitions/agents?*', async (route) => {
    // Never answered.
    if (!isStale(route.request().url())) await route.continue();
  });
  await other.goto('/usage');
  await other.getByRole('heading', { level: 1 }).waitFor();
  await other.keyboard.press('Control+k');
  const isOf = (request: Request) =>
    request.url().includes('/api/definitions/agents') && isStale(request.url());
  const nextRequest = other.waitForEvent('request', isOf);
  const nextFailure = other.waitForEvent('requestfailed', isOf);
  await other.getByPlaceholder(/^Search pages/).fill('Gui');
  await nextRequest;
  await other.getByPlaceholder(/^Search pages/).fill('Guide');
  await nextFailure;
  await other.getByRole('option', { name: /Guide/ }).first().waitFor();
  await other.context().close();
});

test('where external tools are switched off, their page says so, asks for nothing and shows no failure', async () => {
  const other = await opened.newPage();
  await other.route('**/console/config.json', async (route) => {
    const config = await (await route.fetch()).json();
    await route.fulfill({ json: { ...config, externalTools: false } });
  });
  const requestedPaths: string[] = [];
  other.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
  await other.goto('/approvals');
  await other.getByText('Not available in this installation').waitFor();
  expect(await other.getByRole('alert').count()).toBe(0);
  expect(requestedPaths.filter((path) => path.startsWith('/api/integrations'))).toEqual([]);
  await other.context().close();
});
