import { eventually } from '@botyard/testing/eventually';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';
import { addWeatherAgent, giveToDemoBot } from './weather-agent.ts';

let opened: OpenConsole;
let page: Page;
let dialogs: string[];
let failures: string[];
beforeAll(async () => {
  opened = await openConsole();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

async function openAs(look: BrowserContextOptions = {}): Promise<void> {
  page = await opened.newPage(look);
  dialogs = [];
  failures = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.accept();
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
  });
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const trial = () => page.getByRole('log', { name: 'Trial' });
const path = (id: string) => `/api/definitions/agents/${id}`;
const makeAgent = async (name: string): Promise<string> => {
  const agent = { name, instructions: 'First words.', provider: 'private-llm', model: 'sandbox' };
  return (await opened.installation.api<{ id: string }>('POST', '/api/definitions/agents', agent)).id;
};
const live = (id: string) => opened.installation.api<{ instructions: string }>('GET', path(id));
const draftOf = (id: string) => opened.installation.api<object>('GET', `${path(id)}/draft`);

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

test.each([
  ['a desktop', {}],
  ['a phone', phone],
])('on %s edits become a draft by themselves, are tried, and are live with a note', async (where, look) => {
  const id = await makeAgent(`Edited on ${where}`);
  await openAs(look);
  await openPage(page, `/agents/${id}`);
  await field('Instructions').fill('Second words.');
  await page.getByText('Draft saved').waitFor();
  expect(await live(id)).toMatchObject({ instructions: 'First words.', hasDraft: true });

  if (where === 'a phone') await button('Try').click();
  await field('Message').fill('hello');
  await button('Ask the agent').click();
  await trial()
    .getByText(/begin with: “Second words\./)
    .waitFor();
  await trial()
    .getByText(/input tokens/)
    .click();
  await trial().getByText('by private-llm sandbox with the key of the platform').waitFor();
  await button('Run again from here').click();
  await eventually(
    'the same question is answered again',
    async () => (await trial().getByText('You').count()) === 1,
  );

  await button('Go live').click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.locator('del').allTextContents()).toEqual(['First']);
  expect(await dialog.locator('ins').allTextContents()).toEqual(['Second']);
  await field('Note').fill('The second words are better.');
  await button('Go live now').click();
  await page.getByText('Version 2 is live.').waitFor();
  expect(await live(id)).toMatchObject({ instructions: 'Second words.', hasDraft: false });
  if (where === 'a phone') await button('Edit').click();
  await page.getByRole('listitem', { name: 'Version 2' }).getByText('The second words are better.').waitFor();
  expect([dialogs, failures]).toEqual([[], []]);
});

test('choices under an answer are pressed in a trial, and shown in the inbox as the person got them', async () => {
  const { installation } = opened;
  type Named = { id: string; name: string };
  const tools = await installation.api<Named[]>('GET', '/api/definitions/tools?limit=100');
  const tool = tools.find(({ name }) => name === 'offer_choices')!;
  const id = await makeAgent('Offers choices');
  await installation.api('PUT', path(id), { toolIds: [tool.id], keywords: ['choose'] });
  await openAs(phone);
  await openPage(page, `/agents/${id}`);
  await button('Try').click();
  await field('Message').fill('let me choose: tea, <b>coffee</b>');
  await button('Ask the agent').click();
  await trial().getByRole('button', { name: '<b>coffee</b>', exact: true }).click();
  await trial().getByText('I understood: “<b>coffee</b>”').waitFor();
  expect(await trial().getByRole('button', { name: 'tea', exact: true }).count()).toBe(0);

  await giveToDemoBot(installation, id);
  await writeToDemoBot(installation, 'let me choose: tea, <b>coffee</b>');
  const { chatId } = await eventually('it is answered with choices', async () => {
    const chat = await installation.firstOf('/api/interactions/chats');
    if (!chat) return false;
    const messages = `/api/interactions/chats/${chat.chatId}/messages`;
    const said = await installation.api<{ choices?: string[] }[]>('GET', messages);
    return said.some(({ choices = [] }) => choices.length === 2) && chat;
  });
  await openPage(page, `/inbox/${chatId}`);
  const choices = page.getByRole('list', { name: 'Choices under the answer' });
  await choices.waitFor();
  expect(await choices.getByRole('listitem').allTextContents()).toEqual(['tea', '<b>coffee</b>']);
  expect([dialogs, failures]).toEqual([[], []]);
});

test('an older version comes back, after a look at its difference', async () => {
  const id = await makeAgent('Goes back');
  await opened.installation.api('PUT', path(id), {
    instructions: 'Second words.',
    modelSettings: { temperature: 0.5 },
  });
  await openAs();
  await openPage(page, `/agents/${id}`);
  const second = page.getByRole('listitem', { name: 'Version 2' });
  await second.getByText('Changed: instructions, model settings').click();
  await second.locator('del').waitFor();
  expect(await second.locator('del').allTextContents()).toEqual(['First']);
  expect(await second.locator('ins').allTextContents()).toEqual(['Second', 'temperature: 0.5']);
  await page.getByRole('listitem', { name: 'Version 1' }).getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Version 3 is live.').waitFor();
  expect(await field('Instructions').inputValue()).toBe('First words.');
  expect(await field('Temperature').inputValue()).toBe('');
});

test('an older version comes back with its tools, also deleted ones, and each difference of them is shown', async () => {
  const api = opened.installation.api.bind(opened.installation);
  const tools = '/api/definitions/tools';
  const addTool = (name: string, hosts: string[]) =>
    api<{ id: string }>('POST', tools, {
      name,
      kind: 'http_get',
      description: 'Reads.',
      settings: { hosts },
    });
  const prices = await addTool('prices', ['prices.example.com']);
  const stock = await addTool('stock', ['stock.example.com']);
  const agent = { name: 'Equipped', instructions: 'Help.', provider: 'private-llm', model: 'sandbox' };
  const toolIds = [prices.id, stock.id];
  const { id } = await api<{ id: string }>('POST', '/api/definitions/agents', { ...agent, toolIds });
  await api('PUT', `${tools}/${prices.id}`, { description: 'Reads prices.' });
  await api('PUT', path(id), { toolIds: [prices.id] });
  await api('DELETE', `${tools}/${stock.id}`);
  await openAs();
  await openPage(page, `/agents/${id}`);
  const version = (number: number) => page.getByRole('listitem', { name: `Version ${number}` });
  await version(2).getByText('Changed: tool prices').click();
  await version(2).locator('ins').waitFor();
  expect(await version(2).locator('ins').allTextContents()).toEqual([' prices']);
  await version(3).getByText('Changed: tools').click();
  await version(3).locator('del').waitFor();
  expect(await version(3).locator('del').allTextContents()).toEqual(['\nstock']);
  await version(1).getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Version 4 is live.').waitFor();
  await version(4).getByText('Changed: tools, tool prices').waitFor();
  await version(4).getByText('Changed: tools, tool prices').click();
  expect(await api('GET', `${tools}/${stock.id}`)).toMatchObject({ name: 'stock' });
  expect(await api('GET', `${tools}/${prices.id}`)).toMatchObject({ description: 'Reads.' });
  expect(failures).toEqual([]);
});

test('why an answer was given names each argument of its tool calls, with its value', async () => {
  const { installation } = opened;
  await addWeatherAgent(installation);
  const earlier = await installation.firstOf('/api/context-traces');
  await writeToDemoBot(installation, 'search the weather of Bern');
  const trace = await eventually('the tool was called', async () => {
    const first = await installation.firstOf('/api/context-traces');
    const isCalled = first?.traceId !== earlier?.traceId && (first?.toolCalls as number) > 0;
    return isCalled && (first as { traceId: string; chatId: string });
  });
  await openAs();
  await openPage(page, `/inbox/${trace.chatId}?trace=${trace.traceId}`);
  const why = page.getByRole('region', { name: 'Why this answer' });
  await why.getByRole('listitem').filter({ hasText: 'city search the weather of Bern' }).waitFor();
});

test('why an answer was given names the version of the agent with its instructions, and each passage with its place', async () => {
  const { installation } = opened;
  const api = installation.api.bind(installation);
  const text = '# Prices\n\n## Lamps\n\nA lamp costs 20.';
  await api('POST', '/api/context-sources', { title: 'Catalogue', type: 'markdown', text });
  await eventually('the document is read', async () => {
    const source = await installation.firstOf('/api/context-sources');
    return source?.status === 'ready';
  });
  const tool = await api<{ id: string }>('POST', '/api/definitions/tools', {
    name: 'search_catalogue',
    kind: 'search_context',
  });
  const { id } = await api<{ id: string }>('POST', '/api/definitions/agents', {
    name: 'Seller',
    instructions: 'Sell lamps.',
    provider: 'private-llm',
    model: 'sandbox',
    keywords: ['lamp'],
    toolIds: [tool.id],
  });
  await giveToDemoBot(installation, id);
  await writeToDemoBot(installation, 'search what a lamp costs');
  const trace = await eventually('the agent answered', async () => {
    const first = await installation.firstOf('/api/context-traces');
    return first?.agentId === id && (first as { traceId: string; chatId: string });
  });
  await api('PUT', path(id), { instructions: 'Sell chairs.' });
  await openAs();
  await openPage(page, `/inbox/${trace.chatId}?trace=${trace.traceId}`);
  const why = page.getByRole('region', { name: 'Why this answer' });
  const documents = why.getByRole('region', { name: 'Documents' });
  await documents.getByText('Catalogue').waitFor();
  await documents.getByText('passage 2, Prices › Lamps').waitFor();
  await why.getByText('Instructions of version 1').click();
  await why.getByText('Sell lamps.').waitFor();
  await why.getByRole('link', { name: 'Version 1 and its changes' }).click();
  await page.getByRole('listitem', { name: 'Version 1' }).waitFor();
  expect(await page.getByRole('listitem', { name: 'Version 2' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Show the newest versions' }).click();
  await page.getByRole('listitem', { name: 'Version 2' }).getByText('Changed: instructions').waitFor();
  expect(failures).toEqual([]);
});

test('an answer is fixed from the chat: its message is tried with the edited agent, or begins a document', async () => {
  await writeToDemoBot(opened.installation, 'when do you open?');
  await openAs();
  await page.goto('/inbox');
  await page.getByRole('link', { name: /Mallory/ }).click();
  await page.getByRole('link', { name: 'Why this answer?' }).last().click();
  const chat = page.url();
  await page.getByRole('link', { name: 'Add knowledge' }).click();
  await eventually(
    'the message is there',
    async () => (await field('Title').inputValue()) === 'when do you open?',
  );
  expect(await field('Text').inputValue()).toBe('when do you open?\n\n');

  await page.goto(chat);
  await page.getByRole('link', { name: 'Change the agent' }).click();
  await eventually(
    'the message is there',
    async () => (await field('Message').inputValue()) === 'when do you open?',
  );
  await field('Instructions').fill('We open at 8.');
  await button('Ask the agent').click();
  await trial()
    .getByText(/begin with: “We open at 8\./)
    .waitFor();
  await page.getByText('Draft saved').waitFor();
  await button('Discard draft').click();
  await page.getByText('Draft discarded.').waitFor();
  await eventually(
    'the form shows what is live',
    async () => !(await field('Instructions').inputValue()).includes('8'),
  );
  expect(dialogs).toEqual(['Discard the draft? What is live stays as it is.']);
  expect(failures).toEqual([]);
});

test("a colleague's edits of other fields stay in the draft, and are shown to whoever isn't typing", async () => {
  const id = await makeAgent('Shared by two');
  await openAs();
  await openPage(page, `/agents/${id}`);
  await field('Instructions').fill('Mine.');
  await page.getByText('Draft saved').waitFor();
  await opened.installation.api('PUT', `${path(id)}/draft`, { base: 1, description: 'Theirs' });
  await field('Instructions').fill('Mine, too.');
  await eventually('both edits are in the draft', async () => {
    const draft = await draftOf(id);
    return 'instructions' in draft && draft.instructions === 'Mine, too.';
  });
  expect(await draftOf(id)).toMatchObject({ description: 'Theirs', instructions: 'Mine, too.' });
  await opened.installation.api('PUT', `${path(id)}/draft`, { base: 1, description: 'Theirs, later' });
  await eventually('the form shows it', async () => {
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    return (await field('Description').inputValue()) === 'Theirs, later';
  });
});

test('a draft that is discarded while an edit is being saved does not come back', async () => {
  const id = await makeAgent('Discarded');
  await openAs();
  await openPage(page, `/agents/${id}`);
  await field('Instructions').fill('Drafted.');
  await page.getByText('Draft saved').waitFor();
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route('**/draft', async (route) => {
    if (route.request().method() !== 'PUT') return await route.continue();
    arrived.resolve();
    await held.promise;
    await route.continue();
  });
  await field('Instructions').fill('Drafted once more.');
  await arrived.promise;
  const deleted = page.waitForRequest((request) => request.method() === 'DELETE');
  await button('Discard draft').click();
  held.resolve();
  await deleted;
  await page.getByText('Draft discarded.').waitFor();
  expect(await live(id)).toMatchObject({ hasDraft: false });
  expect(await field('Instructions').inputValue()).toBe('First words.');
});

test('a draft that began from an older version says so, and goes live once it is kept', async () => {
  const id = await makeAgent('Overtaken');
  await opened.installation.api('PUT', `${path(id)}/draft`, { base: 1, instructions: 'Drafted.' });
  await opened.installation.api('PUT', path(id), { description: 'Changed elsewhere' });
  await openAs();
  await openPage(page, `/agents/${id}`);
  await page.getByText('Version 2 went live after this draft was begun from version 1.').waitFor();
  await button('Keep my draft').click();
  await page.getByText('went live after this draft').waitFor({ state: 'detached' });
  await button('Go live').click();
  await button('Go live now').click();
  await page.getByText('Version 3 is live.').waitFor();
  expect(await live(id)).toMatchObject({ instructions: 'Drafted.', description: 'Changed elsewhere' });
});

test('an edit that is refused is said at its field, and leaving asks first', async () => {
  const id = await makeAgent('Refused');
  await openAs();
  await openPage(page, `/agents/${id}`);
  await field('Temperature').fill('9');
  await page.getByText('Not saved').waitFor();
  await field('Temperature').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.waitForURL('**/');
  expect(dialogs).toEqual(['Your last edits could not be saved. Leave without them?']);
});

test("the provider's models are offered, and one that it does not list is doubted at once", async () => {
  const id = await makeAgent('Chooses');
  await openAs();
  await openPage(page, `/agents/${id}`);
  const model = field('Model');
  await eventually('the model is offered', async () => (await page.locator('datalist option').count()) > 0);
  await model.fill('sandbix');
  await page.getByText("private-llm doesn't list this model.").waitFor();
  await model.fill('sandbox');
  await page.getByText("private-llm doesn't list this model.").waitFor({ state: 'detached' });
  await field('Provider').selectOption('openai');
  await page.getByText('openai: there is no key for it.').waitFor();
  expect(failures).toEqual([]);
});
