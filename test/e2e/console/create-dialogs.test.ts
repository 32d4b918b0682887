import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { violationsOf } from './axe.ts';
import { looks } from './count-clicks.ts';
import { createButton, type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
  await opened.installation.installApp();
});
afterEach(() => expect(opened.complaints).toEqual([]));
afterAll(() => opened?.close());

/** The pages that create something, each with the title of its dialog and the first field of the form. */
const creations = [
  ['/bots', 'New bot', 'Name'],
  ['/bots/$botId', 'New assignment', 'Agent'],
  ['/agents/tools', 'New tool', 'Name'],
  ['/agents/servers', 'Add a server', 'Address'],
  ['/agents/capabilities', 'New capability', 'Name'],
  ['/agents/documents', 'New document', 'Title'],
  ['/agents/documents', 'Upload a document', 'File'],
  ['/apps', 'New app', 'Name'],
  ['/apps/$appId', 'Bind to a bot', 'Bot'],
  ['/apps/$appId', 'New record: Ticket', 'Subject'],
  ['/tests', 'New set', 'Name'],
  ['/inbox/texts', 'New label', 'Name'],
  ['/inbox/texts', 'New canned reply', 'Name'],
  ['/inbox/senders', 'Allow a sender', 'Receiving bot'],
  ['/keys', 'Add a key', 'Provider'],
  ['/people', 'Add a member', 'Identity provider user ID'],
  ['/people/invitations', 'Invite a person', 'Email address'],
  ['/people/moderation', 'Mute a person', 'Platform'],
  ['/people/erasure', 'Erase a person', 'Platform'],
  ['/access', 'New relationship', 'Person or group'],
  ['/access/policies', 'New policy', 'Name'],
] as const;

async function addressOf(path: string): Promise<string> {
  const { installation } = opened;
  const app = await installation.firstOf('/api/admin/apps');
  return path.replace('$botId', installation.demo.botId).replace('$appId', String(app?.appId));
}

describe.each(Object.entries(looks))('%s', (look, options) => {
  let page: Page;
  beforeAll(async () => {
    page = await opened.newPage(options);
    page.on('dialog', (dialog) => void dialog.accept());
  });
  afterAll(() => page?.context().close());

  const field = (label: string) => page.getByRole('dialog').getByLabel(label, { exact: true });
  const send = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  test.each(creations)(
    'on %s the dialog “%s” has the focus, and Escape gives it back',
    async (path, title, first) => {
      await openPage(page, await addressOf(path));
      const button = createButton(page, title);
      await button.click();
      await page.getByRole('dialog', { name: title, exact: true }).waitFor();
      await field(first).and(page.locator(':focus')).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        options.viewport!.width,
      );
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
    },
  );

  test('a refused value is said at its field, which has the focus, and nowhere else', async () => {
    await openPage(page, '/people/invitations');
    await createButton(page, 'Invite a person').click();
    await field('Email address').fill('nobody');
    await field('Role').focus();
    await send('Invite');
    await field('Email address').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.locator('input[name=email]:focus').waitFor();
    expect(await page.getByRole('dialog').locator('p.text-bad').count()).toBe(1);
    expect(await page.locator('[role=alert]').count()).toBe(0);
  });

  test('an empty list offers its creation, and the new row has the focus', async () => {
    await openPage(page, '/inbox/texts');
    const name = `Urgent ${look}`;
    await createButton(page, 'New label').focus();
    await page.keyboard.press('Enter');
    await field('Name').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: new RegExp(name) }).waitFor();
    await page.locator('tr:focus', { hasText: name }).waitFor();
    const labels = await opened.installation.api<{ labelId: string; name: string }[]>(
      'GET',
      '/api/interactions/labels',
    );
    for (const { labelId } of labels)
      await opened.installation.api('DELETE', `/api/interactions/labels/${labelId}`);
    await openPage(page, '/inbox/texts');
    await page.getByText('No labels yet.').waitFor();
    expect(await page.getByRole('button', { name: 'New label …', exact: true }).count()).toBe(2);
  });

  test('a bot is created by the keyboard, and its page has the focus', async () => {
    await openPage(page, '/bots');
    const name = `Made ${look}`;
    await createButton(page, 'New bot').click();
    await field('Name').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.locator('main:focus').waitFor();
  });

  test('a click beside a dialog closes it, but not one with words in it', async () => {
    await page.goto('/agents/documents?create=document');
    await field('Title').fill('An hour of work');
    await page.mouse.click(3, 3);
    expect(await field('Title').inputValue()).toBe('An hour of work');
    await field('Title').fill('');
    await page.mouse.click(3, 3);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('[data-create=document]:focus').waitFor();
  });
});

test('a member sees no button of a creation, and its address opens no dialog', async () => {
  const page = await opened.newPage();
  await openPage(
    page,
    `/agents/documents?create=document&as=user_member&tenant=${opened.installation.demo.tenantId}`,
  );
  expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.context().close();
});
