import { eventually } from '@botyard/testing/eventually';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createButton, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
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
const makeAgent = async (name: string, more: object = {}): Promise<string> => {
  const agent = { name, instructions: `I am ${name}.`, provider: 'private-llm', model: 'sandbox', ...more };
  return (await opened.installation.api<{ id: string }>('POST', '/api/definitions/agents', agent)).id;
};

test('a bot keeps its agents in their order, the default first, when another of its settings is saved', async () => {
  const { installation } = opened;
  const { tenantId } = installation.demo;
  const agentIds = [await makeAgent('Older'), await makeAgent('Newer')];
  const made = await installation.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, {
    name: 'Two',
    agentIds,
  });
  await openPage(page, `/bots/${made.botId}`);
  await page.getByRole('list', { name: 'Agents', exact: true }).getByText('Newer').waitFor();
  await field('Name').fill('Two agents');
  await button('Save').first().click();
  await page.getByRole('heading', { name: 'Two agents', level: 1 }).waitFor();
  const saved = await installation.api<{ agentIds: string[] }>('GET', `/api/bots/${tenantId}/${made.botId}`);
  expect(saved.agentIds).toEqual(agentIds);
});

test.each([
  ['a desk', { width: 1280, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
])('on %s a bot is told to ask if its answers helped, and in which words', async (_look, size) => {
  const { installation } = opened;
  const { tenantId } = installation.demo;
  const made = await installation.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, {
    name: 'Asks',
  });
  const saved = () => installation.api('GET', `/api/bots/${tenantId}/${made.botId}`);
  await page.setViewportSize(size);
  await openPage(page, `/bots/${made.botId}`);
  const box = page.getByLabel('Ask people if an answer helped');
  expect(await box.isChecked()).toBe(false);
  await box.check();
  await button('Save').first().click();
  await page.getByText('Bot saved.').waitFor();
  expect(await saved()).toMatchObject({ asksForRating: true });
  await page.getByRole('link', { name: 'standard texts', exact: true }).click();
  await field('rating question').fill('Was that of use?');
  await button('Save texts').click();
  await eventually('the words are saved', async () =>
    JSON.stringify(await saved()).includes('"rating_question":"Was that of use?"'),
  );
});

test('the page of another agent has nothing of what was typed for the last one', async () => {
  const { installation } = opened;
  const { id: toolId } = await installation.api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'adds',
    kind: 'calculator',
  });
  const [from, to] = [await makeAgent('From here', { toolIds: [toolId] }), await makeAgent('To there')];
  await openPage(page, `/agents/${from}`);
  await field('Instructions').fill('Typed for the first.');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/^Search pages/).fill('To there');
  await page.getByRole('option', { name: /To there/ }).click();
  await page.getByRole('heading', { name: 'To there', level: 1 }).waitFor();
  expect(await field('Instructions').inputValue()).toBe('I am To there.');
  await field('Description').fill('Saved on its own page.');
  await page.getByText('Draft saved').waitFor();
  expect(await installation.api('GET', `/api/definitions/agents/${to}/draft`)).toMatchObject({
    instructions: 'I am To there.',
    toolIds: [],
    changed: ['description'],
  });
  expect(await installation.api('GET', `/api/definitions/agents/${from}/draft`)).toMatchObject({
    instructions: 'Typed for the first.',
  });
});

test('what is being typed stays when another version is saved meanwhile, and that version is shown on demand', async () => {
  const { installation } = opened;
  const capability = { name: 'Shared', description: 'Knows much', instructions: 'Add.' };
  const { id } = await installation.api<{ id: string }>('POST', '/api/definitions/capabilities', capability);
  const saveElsewhere = async (instructions: string) => {
    await installation.api('PUT', `/api/definitions/capabilities/${id}`, { instructions });
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
  };
  await openPage(page, `/agents/capabilities/${id}`);
  await eventually('a version that nobody edits here is replaced', async () => {
    await saveElsewhere('Saved by a colleague.');
    return (await field('Instructions').inputValue()) === 'Saved by a colleague.';
  });
  await field('Instructions').fill('Typed for an hour.');
  const note = page.getByText('Another version was saved while you were editing.');
  await eventually('the other version is announced', async () => {
    await saveElsewhere(`Saved at ${performance.now()}`);
    return (await note.count()) > 0;
  });
  expect(await field('Instructions').inputValue()).toBe('Typed for an hour.');
  await button('Save').click();
  await note.waitFor({ state: 'detached' });
  await page.getByText('Capability saved.').waitFor();
  expect(await installation.api('GET', `/api/definitions/capabilities/${id}`)).toMatchObject({
    instructions: 'Typed for an hour.',
  });

  await field('Instructions').fill('Not worth it.');
  await eventually('the other version is announced', async () => {
    await saveElsewhere('Better.');
    return (await note.count()) > 0;
  });
  await button('Discard my changes').click();
  expect(await field('Instructions').inputValue()).toBe('Better.');
});

test('a double click sends an action once', async () => {
  await openPage(page, '/bots');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await createButton(page, 'New bot').click();
  await field('Name').fill('Once');
  await page.evaluate(`(() => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Create bot');
    button.click();
    button.click();
  })()`);
  await page.getByText('Bot created.').waitFor();
  expect(sent).toHaveLength(1);
});

test('an action without a network fails at once, and is not sent when the network is back', async () => {
  // The code of the palette is loaded after the page: here, when the network is already gone.
  const gone = Promise.withResolvers<void>();
  const palette = '**/palette-*.js';
  await page.route(palette, async (route) => {
    await gone.promise;
    await route.abort('internetdisconnected');
  });
  const request = page.waitForRequest(palette);
  await openPage(page, '/bots');
  await createButton(page, 'New bot').click();
  await field('Name').fill('Offline');
  await request;
  await page.context().setOffline(true);
  gone.resolve();
  await button('Create bot').click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.context().setOffline(false);
  await page.unroute(palette);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  const bots = await opened.installation.api<{ name: string }[]>('GET', '/api/bots');
  expect(bots.map(({ name }) => name)).not.toContain('Offline');
});

test('each of two actions at the same time reports its own result, after the other was closed, too', async () => {
  const held = Promise.withResolvers<Route>();
  await page.route('**/check', (route) => held.resolve(route));
  await openPage(page, `/bots/${opened.installation.demo.botId}`);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Telegram' })
    .getByRole('button', { name: 'Check now' })
    .click();
  await field('Name').fill('Meanwhile');
  const form = page.locator('form').filter({ has: field('Name') });
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Bot saved.').waitFor();
  await button('Close').click();
  await page.getByText('Bot saved.').waitFor({ state: 'detached' });
  await (await held.promise).fulfill({
    status: 503,
    json: { error: 'the service is busy' },
  });
  await page.getByRole('region', { name: 'Last action' }).getByText('the service is busy').waitFor();
});

test('a draft with unsaved changes is neither checked nor published', async () => {
  await opened.installation.installApp();
  const app = await opened.installation.firstOf('/api/admin/apps');
  await openPage(page, `/apps/${app?.appId}`);
  await field('Edit').selectOption('text');
  const spec = field('Spec');
  const before = await spec.inputValue();
  await spec.fill(JSON.stringify({ ...JSON.parse(before), routes: [] }));
  for (const name of ['Publish', 'Check']) {
    await button(name).click();
    await page.getByText('There are unsaved changes. Save the draft first.').waitFor();
  }
  await page.getByText('Version 1 is live.').waitFor();
  await button('Save draft').click();
  await page.getByText('Draft saved.').waitFor();
  await button('Publish').click();
  await page.getByText('Version 2 is live.').waitFor();
});

test('a draft is changed in forms: a route by words and a field of a record reach the published version', async () => {
  const { installation } = opened;
  await installation.installApp();
  const app = await installation.firstOf('/api/admin/apps');
  const address = `/api/admin/apps/${app?.appId}`;
  await openPage(page, `/apps/${app?.appId}`);
  await button('Add a route').click();
  const route = page.getByRole('group', { name: 'Routes' }).getByRole('listitem').last();
  await route.getByLabel('Name').fill('refunds');
  await route.getByLabel('Answers a message if').selectOption({ label: 'It has one of these words' });
  await route.getByLabel('Words').fill('refund, money back, ');
  await button('Check').click();
  await page.getByText('There are unsaved changes. Save the draft first.').waitFor();
  await button('Add a field').first().click();
  const added = page.getByRole('group', { name: 'Fields' }).first().getByRole('listitem').last();
  await added.getByLabel('Label').fill('Urgent');
  await added.getByLabel('Kind').selectOption({ label: 'Yes or no' });
  await button('Save draft').click();
  await page.getByText('Draft saved.').waitFor();
  await button('Publish').click();
  await page.getByText('Version 2 is live.').waitFor();
  const { spec } = await installation.api<{
    spec: { routes: object[]; recordTypes: { fields: object[] }[] };
  }>('GET', address);
  expect(spec.routes.at(-1)).toMatchObject({
    name: 'refunds',
    when: { match: 'words', words: ['refund', 'money back'] },
  });
  expect(spec.recordTypes[0]?.fields.at(-1)).toMatchObject({ label: 'Urgent', type: 'boolean' });
});

test('a template that is installed is opened, and asks before it is installed once more', async () => {
  await opened.installation.installApp();
  const questions: string[] = [];
  page.on('dialog', (dialog) => questions.push(dialog.message()));
  await openPage(page, '/apps');
  await button('Install again').click();
  await page.getByText('Version 1 is live.').waitFor();
  expect(questions).toEqual([
    expect.stringMatching(/ is installed already\. Install the template once more\?$/),
  ]);
  await page.goto('/apps');
  await page.getByRole('link', { name: /^Open / }).click();
  await page.getByText('Version 1 is live.').waitFor();
});

test('the priority of a route may be negative, and takes only what a spec may have', async () => {
  const { installation } = opened;
  await installation.installApp();
  const app = await installation.firstOf('/api/admin/apps');
  await openPage(page, `/apps/${app?.appId}`);
  await button('Add a route').click();
  const route = page.getByRole('group', { name: 'Routes' }).getByRole('listitem').last();
  await route.getByLabel('Name').fill('rest');
  const priority = route.getByLabel('Priority');
  await priority.fill('');
  await priority.pressSequentially('-20');
  expect(await priority.inputValue()).toBe('-20');
  for (const refused of ['-1001', '1.5']) {
    await priority.fill(refused);
    await priority.and(page.locator('[aria-invalid=true]')).waitFor();
  }
  await priority.blur();
  await expect.poll(() => priority.inputValue()).toBe('-20');
  await button('Save draft').click();
  await page.getByText('Draft saved.').waitFor();
  await page.reload();
  await priority.waitFor();
  await expect.poll(() => priority.inputValue()).toBe('-20');
});

test('a message that is being written survives that the bot takes the chat back, and sending it keeps the focus', async () => {
  const { installation } = opened;
  await writeToDemoBot(installation, 'is anybody there?');
  const chat = await eventually('there is a chat', () => installation.firstOf('/api/interactions/chats'));
  const path = `/api/interactions/chats/${chat.chatId}`;
  await openPage(page, `/inbox/${chat.chatId}`);
  // The page shows it before the API has it.
  const isTaken = page.waitForResponse(/\/takeover$/);
  await button('Take over').click();
  await isTaken;
  await field('Message').fill('I am looking');
  await installation.api('POST', `${path}/handback`);
  await button('Take over').click();
  await page.getByText('Chat taken over.').waitFor();
  expect(await field('Message').inputValue()).toBe('I am looking');
  await button('Send').focus();
  await button('Send').press('Enter');
  await page.getByRole('listitem').filter({ hasText: 'I am looking' }).waitFor();
  expect(await field('Message').inputValue()).toBe('');
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Send');
});
