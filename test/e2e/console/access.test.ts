import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createButton, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
  page = await opened.newPage();
});
afterAll(() => opened?.close());

const field = (label: string) => page.getByLabel(label, { exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });

test('a responder is invited to a bot by address, accepts, and works in its inbox only', async () => {
  await writeToDemoBot(opened.installation, 'is a person there?', 'Mia');
  await openPage(page, '/people/invitations');
  await createButton(page, 'Invite a person').click();
  await field('Email address').fill('stu@people.sandbox.test');
  await field('Role').selectOption('responder');
  await page.getByRole('button', { name: 'Add Demo bot' }).click();
  await button('Invite').click();
  const invitation = page.getByRole('row', { name: /stu@people\.sandbox\.test/ });
  await invitation.getByText('responder', { exact: true }).waitFor();
  await invitation.getByText('Demo bot', { exact: true }).waitFor();

  const responder = await opened.newPage();
  await responder.goto('/?as=user_stranger&invitation=named');
  await responder.getByText('You will answer chats in the inbox of its bots.').waitFor();
  await responder.getByRole('button', { name: 'Accept', exact: true }).click();
  await responder.getByRole('link', { name: /Mia/ }).waitFor();
  expect(new URL(responder.url()).pathname).toBe('/inbox');
  await responder.context().close();
});

test('access is checked and granted by picking names, and no identifier is shown where there is a name', async () => {
  await openPage(page, '/access');
  await field('May').selectOption({ label: 'Max Member' });
  await field('with').selectOption({ label: 'Bot Demo bot' });
  await button('Check').click();
  await page.getByText(/^Allowed:/).waitFor();
  await field('do this').selectOption({ label: 'Change' });
  await button('Check').click();
  await page.getByText(/^Denied:/).waitFor();

  await createButton(page, 'New relationship').click();
  await field('Person or group').selectOption({ label: 'Max Member' });
  await field('of').selectOption({ label: 'A new group…' });
  await field('Name of the group').fill('waiters');
  await button('Add relationship').click();
  await page.getByRole('row', { name: /Max Member member Group waiters/ }).waitFor();
  await createButton(page, 'New relationship').click();
  await field('Person or group').selectOption({ label: 'Members of the group waiters' });
  await field('of').selectOption({ label: 'Bot Demo bot' });
  await field('becomes').selectOption('admin');
  await button('Add relationship').click();
  await page.getByRole('row', { name: /Members of the group waiters admin Bot Demo bot/ }).waitFor();
  await button('Check').click();
  await page.getByText(/^Allowed:/).waitFor();
  const { tenantId, botId } = opened.installation.demo;
  const members = await opened.installation.api<{ userId: string }[]>(
    'GET',
    `/api/bots/tenants/${tenantId}/members`,
  );
  const shown = await page.getByRole('main').textContent();
  for (const id of [tenantId, botId, ...members.map(({ userId }) => userId)]) expect(shown).not.toContain(id);
});

test('records are a table of their fields, and one is added by a form that the app describes', async () => {
  const { installation } = opened;
  await installation.installApp();
  const app = await installation.firstOf('/api/admin/apps');
  await openPage(page, `/apps/${app?.appId}`);
  const { spec } = await installation.api<{
    spec: {
      recordTypes: { fields: { label: string; type: string; required: boolean; options?: string[] }[] }[];
    };
  }>('GET', `/api/admin/apps/${app?.appId}`);
  const fields = spec.recordTypes[0]!.fields;
  await page
    .getByRole('button', { name: /^New record: / })
    .first()
    .click();
  const values = fields.map(({ type, options }) => {
    if (type === 'choice') return options![0]!;
    return (
      { date: '2026-12-24', time: '18:30', email: 'mia@people.example', phone: '+4930123456' }[type] ?? 'Mia'
    );
  });
  for (const [index, { label, type }] of fields.entries()) {
    const input = field(label);
    await (type === 'choice' ? input.selectOption(values[index]!) : input.fill(values[index]!));
  }
  await button('Add record').click();
  const records = page.getByRole('region', { name: 'Records' });
  for (const value of values) await records.getByRole('cell', { name: value, exact: true }).first().waitFor();
  for (const { label } of fields)
    expect(await records.getByRole('columnheader', { name: label, exact: true }).count()).toBe(1);
});

test('an operator filters logs by service and enters a tenant from its name', async () => {
  await openPage(page, '/operator');
  await page.getByLabel('Minimum level').selectOption('info');
  await page.getByLabel('Service', { exact: true }).selectOption('usage');
  const services = page.getByRole('region', { name: 'Logs' }).locator('tbody tr td:nth-child(3)');
  await expect.poll(async () => [...new Set(await services.allInnerTexts())]).toEqual(['usage']);
  await openPage(page, '/operator/tenants');
  await page.getByRole('link', { name: 'Neighbour', exact: true }).click();
  await page.getByRole('heading', { name: 'Neighbour', level: 1 }).waitFor();
});
