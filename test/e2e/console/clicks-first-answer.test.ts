import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CountedPage, looks } from './count-clicks.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

describe.each(Object.entries(looks))('%s', (look, options) => {
  let opened: OpenConsole;
  let counted: CountedPage;
  beforeAll(async () => {
    // Home has its first steps until there is a chat, which only the second test makes.
    opened = await openConsole();
    counted = await CountedPage.open(opened, options);
  });
  afterEach(() => expect(opened.complaints).toEqual([]));
  afterAll(() => opened?.close());

  test("one's own bot answers for the first time after five clicks, without a chat or a channel", async () => {
    const { page } = counted;
    await counted.begin('/');
    await counted.link('Set up a bot').click();
    await counted.field('Name').fill('Luna');
    await counted.field('What does the bot do?').fill('You answer questions about our café');
    await counted.button('Draft it').click();
    await counted.button('Create the bot').click();
    await counted.button('Skip').click();
    await counted.field('Message').fill('hello');
    await counted.button('Ask the agent').click();
    const trial = page.getByRole('log', { name: 'Trial' });
    await trial.getByText(/You are Luna/).waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(5);
  });

  test('the demo bot answers in the sandbox after at most four clicks, and its chat is in the inbox', async () => {
    const { page } = counted;
    await counted.begin('/');
    const opensSandbox = page.waitForEvent('popup');
    await counted.link('Open the sandbox').click();
    const sandbox = await opensSandbox;
    if (look === 'on a phone') await sandbox.getByRole('button', { name: /^Demo bot/ }).click();
    const message = sandbox.getByLabel('Message', { exact: true });
    await message.click();
    await message.fill('hello');
    await sandbox.getByRole('button', { name: 'Send' }).click();
    await sandbox
      .locator('#messages')
      .getByText(/I understood/)
      .waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4);
    await eventually('the chat is there', () => opened.installation.firstOf('/api/interactions/chats'));
    await counted.begin('/');
    await counted.goTo('Inbox');
    await counted.link(/hello|I understood/).waitFor();
  });
});
