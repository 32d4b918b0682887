import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { violationsOf } from './axe.ts';
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

/** The page is for everybody, and no wider than its window. */
async function expectUsable(): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  const width = page.viewportSize()!.width;
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

/** A set of two cases. The sandbox model repeats what it hears. */
async function addSet(name: string): Promise<string> {
  const { installation } = opened;
  const { id: agentId } = await installation.api<{ id: string }>('POST', '/api/definitions/agents', {
    name,
    instructions: 'Help with lamps.',
    provider: 'private-llm',
    model: 'sandbox',
  });
  const set = { name, agentId, mayUsePlatformKey: true, required: true };
  const { setId } = await installation.api<{ setId: string }>('POST', '/api/evaluations/sets', set);
  for (const text of ['Are lamps kind?', 'Are lamps rude?'])
    await installation.api('POST', `/api/evaluations/sets/${setId}/cases`, {
      name: text,
      messages: [{ role: 'user', text }],
    });
  return setId;
}

test.each([
  ['at a desk', { viewport: { width: 1440, height: 900 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' }],
] as const)(
  'a judge is added to a set, its verdicts are marked by a click and a key, and the page says how far to rely on it, %s',
  async (where, look) => {
    const setId = await addSet(`Judged ${where}`);
    page = await opened.newPage(look);
    await openPage(page, `/tests/${setId}`);
    await button('Add a judge …').click();
    await page.getByLabel('Rubric').fill('The answer has the word "kind".');
    await page.getByLabel('Model', { exact: true }).fill('sandbox');
    await page.getByLabel('Readings of each answer').selectOption('1');
    await expectUsable();
    await button('Save the judge').click();
    await button('Judge …').waitFor();
    await button('Stop requiring').waitFor();

    await button('Run the live version').click();
    await page.getByText('2 of 2 cases answered').waitFor();
    await page.getByText('1 of 2 pass, 50 % (95 % interval 9 % to 91 %)').waitFor();
    await page.getByText('No answer is marked yet.').waitFor();

    await link('Are lamps kind?').click();
    const answer = page.getByRole('region', { name: 'Version 1', exact: true });
    await answer.getByText('Judge passed').click();
    await answer.getByText('the answer has all that the rubric quotes').waitFor();
    await button('Bad').click();
    await page.getByRole('button', { name: 'Bad', exact: true, pressed: true }).waitFor();
    await page.getByText('agrees with people about 0 of 1 marked answers').waitFor();
    await page.getByText('Below 0.6 do not rely on this judge').waitFor();
    await expectUsable();

    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'Good', exact: true, pressed: true }).waitFor();
    await page.getByText("Cohen's kappa needs both kinds").waitFor();
    await link('Are lamps rude?').click();
    await page.getByText('the judge says no, 1 of 1 times').waitFor();
    await page.keyboard.press('b');
    await page.getByText("It agrees with people about 2 of 2 marked answers (Cohen's kappa 1.00).").waitFor();
    await expectUsable();
  },
);

test('marks that follow each other faster than the page is refreshed all count, in their order', async () => {
  const setId = await addSet('Marked fast');
  const { installation } = opened;
  const set = `/api/evaluations/sets/${setId}`;
  const { agentId } = await installation.api<{ agentId: string }>('GET', set);
  const judge = {
    rubric: 'The answer has the word "kind".',
    provider: 'private-llm',
    model: 'sandbox',
    repeats: 1,
  };
  await installation.api('PUT', set, { name: 'Marked fast', agentId, mayUsePlatformKey: true, judge });
  page = await opened.newPage();
  await openPage(page, `/tests/${setId}`);
  await button('Run the live version').click();
  await page.getByText('2 of 2 cases answered').waitFor();
  await link('Are lamps kind?').click();
  const sent: unknown[] = [];
  const isMarked = Promise.withResolvers<void>();
  await page.route('**/mark', async (route) => {
    sent.push((route.request().postDataJSON() as { mark: unknown }).mark);
    await isMarked.promise;
    await route.continue();
  });
  await button('Bad').waitFor();
  for (const key of ['g', 'b', 'g']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Good', exact: true, pressed: true }).waitFor();
  await link('Are lamps rude?').click();
  await page.getByText('the judge says no, 1 of 1 times').waitFor();
  await page.keyboard.press('b');
  await page.getByRole('button', { name: 'Bad', exact: true, pressed: true }).waitFor();
  isMarked.resolve();
  await page.getByText("It agrees with people about 2 of 2 marked answers (Cohen's kappa 1.00).").waitFor();
  expect(sent).toEqual(['good', 'bad', 'good', 'bad']);
});

test('a judge without a verdict leaves its cases undecided, and the page says so', async () => {
  const setId = await addSet('Undecided');
  const set = `/api/evaluations/sets/${setId}`;
  const { installation } = opened;
  const { agentId } = await installation.api<{ agentId: string }>('GET', set);
  await installation.api('PUT', set, {
    name: 'Undecided',
    agentId,
    mayUsePlatformKey: true,
    judge: { rubric: 'Stays undecided.', provider: 'private-llm', model: 'sandbox', repeats: 1 },
  });
  page = await opened.newPage();
  await openPage(page, `/tests/${setId}`);
  await button('Run the live version').click();
  await page.getByText('2 cases have no verdict').waitFor();
  await link('Are lamps kind?').click();
  const answer = page.getByRole('region', { name: 'Version 1', exact: true });
  await answer.getByRole('heading').getByText('no verdict').waitFor();
  await expectUsable();
});
