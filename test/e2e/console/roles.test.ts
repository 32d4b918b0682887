import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
/** Requests that the API has refused for lack of rights. */
let refused: string[];
beforeAll(async () => {
  opened = await openConsole();
  page = await opened.newPage();
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
});
afterAll(() => opened?.close());

const links = async (name: string): Promise<string[]> =>
  await page.getByRole('navigation', { name }).getByRole('link').allTextContents();

test('a member finds the pages that members may read, without a request or a button that is refused', async () => {
  refused = [];
  const who = `as=user_member&tenant=${opened.installation.demo.tenantId}`;
  await openPage(page, `/?${who}`);
  await page.getByText('You are a member of this tenant').waitFor();
  expect(await links('Pages')).toEqual(['Home', 'Agents', 'Bots']);
  await openPage(page, `/agents?${who}`);
  for (const section of await links('Agent sections')) {
    await page
      .getByRole('navigation', { name: 'Agent sections' })
      .getByRole('link', { name: section })
      .click();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  }
  await openPage(page, `/agents/${opened.installation.demo.agentId}?${who}`);
  await page.getByText('Only admins can make changes.').waitFor();
  expect(
    await page.getByRole('button', { name: /^(Save|Go live|Delete|Share in the marketplace)$/ }).count(),
  ).toBe(0);
  await openPage(page, `/bots?${who}`);
  await page.getByRole('link', { name: 'Demo bot' }).click();
  await page.getByRole('heading', { name: 'Demo bot', level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Channels' }).waitFor();
  expect(refused).toEqual([]);
});

test('an admin of two tenants sees the bots of the chosen one only, and no page for operators', async () => {
  refused = [];
  const { installation } = opened;
  const members = `/api/bots/tenants/${installation.demo.tenantId}/members`;
  await installation.api('POST', members, { idpUserId: 'user_neighbour', role: 'admin' });
  const who = 'as=user_neighbour';
  await openPage(page, `/bots?${who}&tenant=${installation.demo.tenantId}`);
  await page.getByRole('region', { name: 'Bots' }).getByRole('link', { name: 'Demo bot' }).waitFor();
  expect(await links('Pages')).not.toContain('Operator');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Archive' }).click();
  await page.getByRole('heading', { name: 'Archive', level: 1 }).waitFor();
  await page.getByLabel(/^Tenant/).selectOption({ label: 'Neighbour' });
  await page.getByRole('heading', { name: 'Neighbour', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Bots', exact: true }).click();
  await page.getByText('No bots yet.').waitFor();
  expect(refused).toEqual([]);
});

test('an operator sees the bots of a tenant that they do not belong to', async () => {
  refused = [];
  const { installation } = opened;
  const token = await installation.tokenOf('user_neighbour');
  const me = await fetch(`${installation.gatewayUrl}/api/current-user`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { tenants } = (await me.json()) as { tenants: { tenantId: string }[] };
  const tenantId = tenants.map((one) => one.tenantId).find((one) => one !== installation.demo.tenantId) ?? '';
  await installation.api('POST', `/api/bots/${tenantId}/bots`, { name: 'Bot next door' });
  await openPage(page, `/bots?tenant=${tenantId}`);
  await page.getByRole('link', { name: 'Bot next door' }).waitFor();
  expect(refused).toEqual([]);
});
