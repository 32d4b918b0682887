import { eventually } from '@botyard/testing/eventually';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addAgentOfTwoMinds, answerSessions, moveClocksOfSessions } from '../released-agent.ts';
import { expectUsable } from './expect-usable.ts';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
const region = (name: string) => page.getByRole('region', { name, exact: true });
const version = (number: number) => page.getByRole('listitem', { name: `Version ${number}` });

async function openStudio(agentId: string, look: BrowserContextOptions = {}): Promise<void> {
  page = await opened.newPage(look);
  await openPage(page, `/agents/${agentId}`);
}

async function startRelease(percent: number): Promise<void> {
  await button('Release a version …').click();
  await field('Version').selectOption('2');
  await field('Share of new chats').selectOption('fixed');
  await field('Percent').fill(String(percent));
  await expectUsable(page);
  await button('Start the release').click();
  await page.getByText(`Version 2 answers ${percent} % of new chats.`).waitFor();
}

test('a candidate that hands more chats over is released in the studio, and seen to be withdrawn by itself', async () => {
  const { installation } = opened;
  const agentId = await addAgentOfTwoMinds(installation, 'Released at a desk');
  await openStudio(agentId, { viewport: { width: 1440, height: 900 } });
  await startRelease(50);
  await version(2).getByText('candidate', { exact: true }).waitFor();
  await version(3).getByText('live', { exact: true }).waitFor();

  await answerSessions(installation, { agentId, people: 100 });
  await moveClocksOfSessions(installation);
  const ended = region('Release of version 2, withdrawn');
  await ended
    .getByText(
      /^more chats are handed over to a person: \d+ of \d+ with the candidate, and \d+ of \d+ with the live/,
    )
    .waitFor();
  const evidence = region('Chats that are handed over to a person');
  await evidence.getByText('over the 40 that withdraw it').waitFor();
  await evidence.getByText(/^(\d+) of \1 \(100 %\)$/).waitFor();
  await ended.getByText('Withdrawn: the live version answers every chat').waitFor();
  await button('Release a version …').waitFor();
  expect(await version(2).getByText('candidate', { exact: true }).count()).toBe(0);
  await expectUsable(page);

  const read = async () => (await installation.firstOf(`/api/definitions/agents/${agentId}/releases`))!;
  await eventually('each side has its averages', async () => {
    const { candidate, live } = (await read()).averages as Record<string, { durationMs: number | null }>;
    return candidate!.durationMs !== null && live!.durationMs !== null;
  });
  await page.reload();
  await page.getByText(/^\d+(\.\d)? m?s with the candidate, \d+(\.\d)? m?s with the live version$/).waitFor();
  await evidence.getByRole('link', { name: 'Read these chats of the candidate' }).click();
  expect(await choice('Version').inputValue()).toBe('2');
  const chats = region('Chats').getByRole('link', { name: /^Person/ });
  await region('Chats').getByRole('button', { name: 'Show more' }).click();
  const { candidate } = (await read()).sessions as { candidate: number };
  await eventually('every chat of the candidate is listed', async () => (await chats.count()) === candidate);
  expect(await chats.filter({ hasText: 'Handed over' }).count()).toBe(candidate);
  await choice('Outcome').selectOption({ label: 'Failed' });
  await page.getByText('No matching chats.').waitFor();
});

test('on a phone a release is started, withdrawn with a reason, and promoted', async () => {
  const agentId = await addAgentOfTwoMinds(opened.installation, 'Released on a phone');
  await openStudio(agentId, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await startRelease(5);
  await expectUsable(page);
  await button('Withdraw').click();
  await field('Reason').fill('Too early.');
  await button('Withdraw now').click();
  await region('Release of version 2, withdrawn').getByText('Too early.').waitFor();

  await startRelease(10);
  await button('Promote').click();
  await button('Promote now').click();
  await region('Release of version 2, promoted').waitFor();
  await page.getByText('Version 4 is live.').waitFor();
  const promoted = await opened.installation.api('GET', `/api/definitions/agents/${agentId}`);
  expect(promoted).toMatchObject({ version: 4, toolIds: [expect.any(String)] });
});

test('a draft is released to a share without going live', async () => {
  const agentId = await addAgentOfTwoMinds(opened.installation, 'Released as a draft');
  await openStudio(agentId);
  await field('Instructions').fill('Help with lamps, and with candles.');
  await button('Release a version …').click();
  await field('Version').selectOption({ label: 'The draft' });
  await field('Share of new chats').selectOption('fixed');
  await button('Start the release').click();
  await page.getByText('Version 4 answers 5 % of new chats.').waitFor();
  await page.getByText('Version 5 is live.').waitFor();
  await page.getByText('Edits are saved as a draft.').waitFor();
  expect(await field('Instructions').inputValue()).toBe('Help with lamps.');
  await button('Promote').click();
  await button('Promote now').click();
  await page.getByText('Version 6 is live.').waitFor();
  await eventually(
    'the form shows what is live',
    async () => (await field('Instructions').inputValue()) === 'Help with lamps, and with candles.',
  );
});

test('steps are released with their minimums, and a release that a colleague ends disappears from the page', async () => {
  const agentId = await addAgentOfTwoMinds(opened.installation, 'Released in steps');
  await openStudio(agentId);
  await button('Release a version …').click();
  await field('Finished chats before each step').fill('29');
  await button('Start the release').click();
  await field('Finished chats before each step').and(page.locator('[aria-invalid=true]')).waitFor();
  await field('Finished chats before each step').fill('40');
  await field('Hours before each step').fill('12');
  await button('Start the release').click();
  await page
    .getByText('Next: 25 % after 40 finished chats and 12 h, then 100 % after 40 finished chats and 12 h.')
    .waitFor();
  const path = `/api/definitions/agents/${agentId}/releases`;
  const { releaseId } = (await opened.installation.firstOf(path))!;
  await opened.installation.api('POST', `${path}/${releaseId}/withdraw`, { reason: 'By a colleague.' });
  await page.getByText('By a colleague.').waitFor();
});

test('a refused promotion says why, with each failing case', async () => {
  const agentId = await addAgentOfTwoMinds(opened.installation, 'Refused');
  await openStudio(agentId);
  await startRelease(5);
  await page.route('**/promote', (route) =>
    route.fulfill({
      status: 409,
      json: {
        error: 'the tests have regressions',
        issues: [{ path: 'cases/1', message: 'answers too late' }],
      },
    }),
  );
  await button('Promote').click();
  await button('Promote now').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('the tests have regressions').waitFor();
  await eventually('the case is named', async () =>
    (await dialog.getByRole('listitem').allTextContents()).includes('cases/1 answers too late'),
  );
});
