import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAgentOfTwoMinds,
  answerSessions,
  moveClocksOfSessions,
  wordsForColleague,
} from '../released-agent.ts';
import { expectUsable } from './expect-usable.ts';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
});
afterAll(() => opened?.close());

test('from a message in the inbox to a withdrawn candidate: its answer is a test that a draft fails, and the draft is released all the same', async () => {
  const { installation } = opened;
  const agentId = await addAgentOfTwoMinds(installation, 'Walked');
  await writeToDemoBot(installation, wordsForColleague, 'Mallory');
  const { chatId } = await eventually('there is a chat', () =>
    installation.firstOf('/api/interactions/chats'),
  );
  const page = await opened.newPage({ viewport: { width: 1440, height: 900 } });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const region = (name: string) => page.getByRole('region', { name, exact: true });

  await openPage(page, `/inbox/${chatId}`);
  await button('Save as a test').first().click();
  await field('Set').selectOption('new');
  await field('Name of the new set').fill('From the inbox');
  await field('Add a check').selectOption('contains');
  await field('Text').fill('Help with lamps');
  await button('Add the check').click();
  await page.getByRole('dialog').getByRole('checkbox').check();
  await button('Save the test').click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open its set' }).click();
  await page.getByRole('heading', { level: 1, name: 'From the inbox' }).waitFor();
  const setPath = new URL(page.url()).pathname;
  // An admin allows the key of the platform, or the tenant has one of its own.
  const set = { name: 'From the inbox', agentId, mayUsePlatformKey: true };
  await installation.api('PUT', `/api/evaluations/sets/${setPath.split('/').at(-1)}`, set);

  await openPage(page, `/agents/${agentId}`);
  await page.getByLabel('Add a tool').fill('search_walked');
  await button('Add search_walked').click();
  await page.getByText('Draft saved').waitFor();
  await openPage(page, setPath);
  await button('Compare the draft with the live version').click();
  await page.getByText('1 of 1 cases answered').waitFor();
  await button('Worse 1').waitFor();

  await openPage(page, `/agents/${agentId}`);
  await button('Release a version …').click();
  await field('Version').selectOption({ label: 'The draft' });
  await field('Share of new chats').selectOption('fixed');
  await field('Percent').fill('50');
  await button('Start the release').click();
  await page.getByText('Version 4 answers 50 % of new chats.').waitFor();
  await answerSessions(installation, { agentId, people: 100 });
  await moveClocksOfSessions(installation);
  await region('Release of version 4, withdrawn')
    .getByText(/^more chats are handed over to a person: /)
    .waitFor();
  await button('Release a version …').waitFor();
  await expectUsable(page);
  expect(opened.complaints).toEqual([]);
});
