import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addAgentOfTwoMinds, wordsForColleague } from '../released-agent.ts';
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
const link = (name: string) => page.getByRole('link', { name, exact: true });

/** A set of two cases, and a draft of its agent that fails one of them. Returns the set. */
async function addSetWithBreakingDraft(name: string): Promise<string> {
  const { installation } = opened;
  const agentId = await addAgentOfTwoMinds(installation, name);
  const set = { name, agentId, mayUsePlatformKey: true };
  const { setId } = await installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  const cases = `/api/evaluations/sets/${setId}/cases`;
  await installation.api('POST', cases, {
    name: 'Asks for a colleague',
    messages: [{ role: 'user', text: wordsForColleague }],
    assertions: [{ type: 'contains', text: 'Help with lamps' }],
  });
  await installation.api('POST', cases, {
    name: 'Says hello',
    messages: [{ role: 'user', text: 'Hello' }],
    assertions: [{ type: 'not_contains', text: 'candles' }],
  });
  const path = `/api/definitions/agents/${agentId}`;
  const versions = await installation.api<{ version: number; definition: { toolIds: string[] } }[]>(
    'GET',
    `${path}/versions`,
  );
  const { toolIds } = versions.find(({ version }) => version === 2)!.definition;
  await installation.api('PUT', `${path}/draft`, { base: 3, toolIds });
  return setId;
}

test.each([
  ['at a desk', { viewport: { width: 1440, height: 900 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' }],
] as const)(
  'a draft is compared with the live version, and the page shows which check fails, %s',
  async (where, look) => {
    const name = `Compared ${where}`;
    const setId = await addSetWithBreakingDraft(name);
    page = await opened.newPage(look);
    await openPage(page, `/tests/${setId}`);
    await button('Compare the draft with the live version').click();
    await page.getByRole('heading', { level: 1, name: 'Run of the draft of version 3' }).waitFor();
    await page.getByText('done', { exact: true }).waitFor();
    await page.getByText('2 of 2 cases answered').waitFor();
    await link('Says hello').waitFor();
    await button('Same 1').waitFor();
    await button('Better 0').waitFor();
    expect(await button('Stop').count()).toBe(0);

    await button('Worse 1').click();
    await link('Says hello').waitFor({ state: 'detached' });
    await link('Asks for a colleague').click();
    const draft = page.getByRole('region', { name: 'Draft of version 3' });
    const failed = draft.getByRole('list', { name: 'Failed checks' });
    await failed.getByText('Expected: The answer contains “Help with lamps”').waitFor();
    await failed.getByText('the answer does not contain "Help with lamps"').waitFor();
    const live = page.getByRole('region', { name: 'Version 3', exact: true });
    await live.getByText('Help with lamps').waitFor();
    expect(await live.getByRole('list', { name: 'Failed checks' }).count()).toBe(0);
    await expectUsable(page);

    await link(name).click();
    const runs = page.getByRole('region', { name: 'Runs', exact: true });
    await runs.getByRole('link', { name: 'Draft of version 3' }).waitFor();
    await runs.getByText('2 of 2').waitFor();
    await runs.getByText('1 worse, 0 better, 1 same').waitFor();
    await expectUsable(page);
  },
);

test('a run of the live version compares with nothing, and a refused run says why', async () => {
  const setId = await addSetWithBreakingDraft('Live alone');
  page = await opened.newPage();
  await openPage(page, `/tests/${setId}`);
  await button('Run the live version').click();
  await page.getByRole('heading', { level: 1, name: 'Run of version 3' }).waitFor();
  await page.getByText('2 of 2 cases answered').waitFor();
  await page.getByText('compared with nothing').waitFor();
  expect(await button('Same 2').count()).toBe(0);

  const agent = await opened.installation.firstOf('/api/definitions/agents');
  const set = { name: 'Empty', agentId: agent?.id };
  const empty = await opened.installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  await openPage(page, `/tests/${empty.setId}`);
  await button('Run the live version').click();
  await page.getByRole('alert').getByText('the set has no cases: add one first').waitFor();
});

test('a run that goes on is stopped on its page', async () => {
  const setId = await addSetWithBreakingDraft('Stopped');
  // Each of them takes the model eight seconds, and four are answered at a time.
  for (let number = 1; number <= 16; number += 1)
    await opened.installation.api('POST', `/api/evaluations/sets/${setId}/cases`, {
      name: `Slow ${number}`,
      messages: [{ role: 'user', text: 'Please be slow' }],
    });
  page = await opened.newPage();
  await openPage(page, `/tests/${setId}`);
  await button('Run the live version').click();
  await button('Stop').click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await button('Stop').waitFor({ state: 'detached' });
  expect(await opened.installation.firstOf('/api/evaluations/runs')).toMatchObject({ state: 'stopped' });
});
