import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { looks } from './count-clicks.ts';
import { expectUsable } from './expect-usable.ts';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

const mallory = '700000077';
const nora = '700000088';
/** Right-to-left overrides that nothing ends, markup, and a word without a blank. */
const hostile = `\u202e\u2067<b onmouseover="pwn=1">${'W'.repeat(150)}`;

let opened: OpenConsole;
/** The chat of Mallory with the demo bot. */
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  const { tenantId } = opened.installation.demo;
  const { botId } = await api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, { name: 'Branch' });
  const botToken = '424242:AAEhBOweik9ai2QRTUwVXYzaBcDeFgHiJkl';
  const integration = { integrationType: 'messenger', credentials: { botName: 'branch_bot', botToken } };
  await api('POST', `/api/bots/${tenantId}/${botId}/integrations`, integration);
  await say('botyard_demo_bot', mallory, 'Mallory');
  await say('424242', mallory, 'Mallory');
  await say('botyard_demo_bot', nora, 'Nora');
  chatId = await chatWith('Mallory', 'Demo bot');
  await chatWith('Mallory', 'Branch');
  await chatWith('Nora', 'Demo bot');
  // As if Max had signed in with both accounts.
  await opened.installation.asOwner(
    `insert into tenancy.identity_links (link_id, user_id, platform, platform_user_id)
     select gen_random_uuid(), u.user_id, 'messenger', account
     from tenancy.users u, unnest(array['${mallory}', '${nora}']) as account where u.idp_user_id = 'user_member'`,
  );
});
afterEach(() => expect(opened.complaints).toEqual([]));
afterAll(() => opened?.close());

const api: OpenConsole['installation']['api'] = (...request) => opened.installation.api(...request);

async function say(bot: string, person: string, name: string): Promise<void> {
  const path = `${opened.installation.sandboxUrl}/api/bots/${bot}/chats/${person}/messages`;
  await eventually(`${bot} hears ${name}`, async () => {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello', name }),
    });
    return answer.status === 201;
  });
}

interface Chat {
  chatId: string;
  botName: string;
  people: { personId: string; name: string }[];
}
const listChats = () => api<Chat[]>('GET', '/api/interactions/chats');

async function chatWith(name: string, bot: string): Promise<string> {
  return await eventually(`there is a chat of ${name} with ${bot}`, async () => {
    const chats = await listChats();
    return chats.find(({ botName, people }) => botName === bot && people[0]?.name === name)?.chatId;
  });
}

/** Opens the panel of the chat by the keyboard. */
async function openPanel(page: Page): Promise<void> {
  await openPage(page, `/inbox/${chatId}`);
  await unfoldPanel(page);
  await panelOf(page).getByRole('link').first().waitFor();
}

async function unfoldPanel(page: Page): Promise<void> {
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByRole('heading', { level: 2 }).waitFor();
  const more = messages.getByRole('button', { name: 'More of this chat' });
  if (await more.isVisible()) await more.press('Enter');
  await messages.locator('summary', { hasText: 'About the person' }).press('Enter');
}

const panelOf = (page: Page) => page.getByRole('region', { name: 'About the person' });

/** The titles and addresses of the chats under a heading of the panel. */
async function chatsUnder(page: Page, heading: string | RegExp): Promise<string[]> {
  const links = panelOf(page).getByRole('region', { name: heading }).getByRole('link');
  await links.first().waitFor();
  return await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!.split('/').at(-1)!));
}

describe.each(Object.entries(looks))('%s', (_look, options) => {
  test('an admin sees the account, the user who has linked it, and the chats of all their accounts', async () => {
    const page = await opened.newPage(options);
    await openPanel(page);
    const panel = panelOf(page);
    await panel.getByText(`Telegram ${mallory}`).waitFor();
    await panel.getByText('2 chats').waitFor();
    await panel.getByText('Linked by Max Member').waitFor();
    expect(await chatsUnder(page, 'Other chats')).toEqual([await chatWith('Mallory', 'Branch')]);
    expect(await chatsUnder(page, 'Chats as Telegram Nora')).toEqual([await chatWith('Nora', 'Demo bot')]);
    await expectUsable(page);
    await page.context().close();
  });

  test('another chat is reached by the keyboard, and Escape gives the focus back to the button', async () => {
    const page = await opened.newPage(options);
    await openPanel(page);
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    await page.keyboard.press('Enter');
    const other = panelOf(page).getByRole('region', { name: 'Other chats' }).getByRole('link');
    await other.press('Enter');
    await page.waitForURL(`**/inbox/${await chatWith('Mallory', 'Branch')}`);
    await page.getByRole('region', { name: 'Messages' }).getByText('Branch · Telegram').waitFor();
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Messages');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/inbox');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('A');
    await page.context().close();
  });

  test('a responder sees the name and the chats of their bots, and no account', async () => {
    const { installation } = opened;
    const token = await installation.tokenOf('user_stranger');
    const me = await fetch(`${installation.gatewayUrl}/api/current-user`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { userId } = (await me.json()) as { userId: string };
    const { botId, tenantId } = installation.demo;
    const edge = { subject: `user:${userId}`, relation: 'responder', object: `bot:${botId}` };
    await api('POST', '/api/authorization-edges', edge).catch(() => undefined);
    const page = await opened.newPage(options);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await openPage(page, `/inbox/${chatId}?as=user_stranger&tenant=${tenantId}`);
    await unfoldPanel(page);
    await panelOf(page).getByText('None that you can see.').waitFor();
    await panelOf(page).getByText('Mallory', { exact: true }).waitFor();
    expect(
      await panelOf(page)
        .getByText(/Telegram|Linked/)
        .count(),
    ).toBe(0);
    expect(refused).toEqual([]);
    await page.context().close();
  });
});

test('hostile names of people, users and bots widen neither the panel nor the page, and stay text', async () => {
  await opened.installation.asOwner(
    `update tenancy.users set name = '${hostile}' where idp_user_id = 'user_member'`,
  );
  await opened.installation.asOwner(`update agents.people set name = '${hostile}'`);
  await opened.installation.asOwner(`update agents.bots set name = '${hostile.slice(0, 100)}'`);
  for (const options of Object.values(looks)) {
    const page = await opened.newPage(options);
    await openPanel(page);
    await panelOf(page).getByText(`Linked by ${hostile}`).waitFor();
    expect(await panelOf(page).getByText(hostile).count()).toBeGreaterThan(1);
    await expectUsable(page);
    const widened = await page.evaluate<number>(
      `[...document.querySelectorAll('[aria-label="About the person"], [aria-label="About the person"] section')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1).length`,
    );
    expect(widened).toBe(0);
    expect(await page.evaluate(`typeof pwn`)).toBe('undefined');
    const { x, width } = (await panelOf(page).boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(page.viewportSize()!.width);
    await page.context().close();
  }
});
