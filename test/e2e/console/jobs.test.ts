import { eventually } from '@botyard/testing/eventually';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatOfMallory, type OpenConsole, openConsole, writeToDemoBot } from './open-console.ts';
import { addWeatherAgent } from './weather-agent.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
});
beforeEach(async () => {
  page = await opened.newPage();
  page.on('dialog', (dialog) => void dialog.accept());
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const say = (text: string) => writeToDemoBot(opened.installation, text);
const readChat = async () => await (await fetch(chatOfMallory(opened.installation))).text();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });

test('a pending call is approved with its exact arguments, made, and listed in the history', async () => {
  await addWeatherAgent(opened.installation);
  await say('search the weather of Bern');
  await page.goto('/approvals');
  const call = page.getByRole('row', { name: /WEATHER_TODAY/ });
  await call.getByText('"city": "search the weather of Bern"').waitFor();
  await call.getByRole('button', { name: 'Approve' }).click();
  await button('History').click();
  await call.getByText('succeeded', { exact: true }).waitFor();
});

test('a tool is defined in a form, with documents and services by their names, and given to a capability', async () => {
  const { installation } = opened;
  const source = { title: 'Prices', text: 'An apple costs 1 franc.' };
  await installation.api('POST', '/api/context-sources', source);
  await page.goto('/agents/tools?kind=search_context&create=tool');
  await field('Name').fill('search_prices');
  await button('Add Prices').click();
  await field('Maximum passages').fill('99');
  await button('Create tool').click();
  await field('Maximum passages').and(page.locator('[aria-invalid=true]')).waitFor();
  await field('Maximum passages').fill('3');
  await button('Create tool').click();
  await page.getByRole('heading', { name: 'search_prices', level: 1 }).waitFor();
  await page.getByRole('list', { name: 'Documents', exact: true }).getByText('Prices').waitFor();

  await page.goto('/agents/tools?create=tool');
  await field('Kind').selectOption({ label: 'External tool' });
  await field('Name').fill('weather_of_today');
  await field('Service').selectOption('weather');
  await field('Tool').selectOption('WEATHER_TODAY');
  await button('Create tool').click();
  await page.getByRole('heading', { name: 'weather_of_today', level: 1 }).waitFor();
  await field('Description').fill('Asks for the weather.');
  await button('Save').click();
  await page.getByText('Version 2. Changes apply').waitFor();
  expect(await field('Tool').inputValue()).toBe('WEATHER_TODAY');

  await page.goto('/agents/capabilities?create=capability');
  await field('Name').fill('Market');
  await button('Add search_prices').click();
  await button('Add weather_of_today').click();
  await button('Create capability').click();
  await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  await button('Remove weather_of_today').click();
  await button('Save').click();
  await page.getByText('Version 2. Changes apply').waitFor();

  await page.goto('/agents/tools?q=search_prices');
  await page.getByRole('region', { name: 'Tools' }).getByRole('link', { name: 'search_prices' }).click();
  await page.getByRole('heading', { name: 'search_prices', level: 1 }).waitFor();
  await button('Delete').click();
  await page
    .getByText(/the tool is in use: take it from .* first/)
    .first()
    .waitFor();
});

test('a dead letter is found with its cause, and answered when it is replayed', async () => {
  const { installation } = opened;
  const setProviders = (from: string, to: string) =>
    installation.asOwner(
      `update agents.agent_definitions set provider = '${to}'
       where provider = '${from}' and tenant_id = '${installation.demo.tenantId}'`,
    );
  await setProviders('private-llm', 'x');
  await say('who will answer this?');
  await page.goto('/failures');
  const letters = page.getByRole('region', { name: 'Dead letters' });
  await letters.getByText('who will answer this?').waitFor();
  await setProviders('x', 'private-llm');
  await letters.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('Messages appear here after their last attempt').waitFor();
  const answer = 'I understood: “who will answer this?”';
  await eventually('it is answered', async () => (await readChat()).includes(answer));
});

test('a reply that did not arrive is found with its reason, and arrives when it is sent again', async () => {
  const { installation } = opened;
  const copies = async () => (await readChat()).split('I understood: “will this arrive?”').length;
  const reply = `direction = 'out' and text like '%will this arrive?%'`;
  await say('will this arrive?');
  await eventually('it has arrived', async () => {
    const query = `select from agents.messages where ${reply} and status = 'sent'`;
    return (await installation.asOwner(query)).length === 1;
  });
  const before = await copies();
  await installation.asOwner(
    `update agents.messages set status = 'failed', last_error = 'the platform was away' where ${reply}`,
  );
  await page.goto('/failures');
  const replies = page.getByRole('region', { name: 'Replies' });
  await replies.getByText('the platform was away').waitFor();
  await replies.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Replies appear here after their last attempt').waitFor();
  await eventually('it is there once more', async () => (await copies()) > before);
});

test('a colleague is added, reads everything that members may read, and is refused once they are removed', async () => {
  const colleague = await opened.newPage();
  await page.goto('/people?create=member');
  await field('Identity provider user ID').fill('user_stranger');
  await field('Role').selectOption('member');
  await button('Add member').click();
  const row = page.getByRole('row', { name: /Stu Stranger|user_stranger/ });
  await row.waitFor();

  const tenant = `tenant=${opened.installation.demo.tenantId}`;
  await colleague.goto(`/agents?as=user_stranger&${tenant}`);
  await colleague.getByRole('link', { name: 'Guide' }).waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  await colleague.goto(`/agents?as=user_stranger&${tenant}`);
  await colleague.getByRole('alert').first().waitFor();
  await colleague.context().close();
});

const membersPath = () => `/api/bots/tenants/${opened.installation.demo.tenantId}/members`;

/** Makes somebody one of the demo's tenant, who may be that already. */
async function addMember(who: string, role: string): Promise<{ userId: string }> {
  const { installation } = opened;
  const all = await installation.api<{ userId: string; idpUserId: string }[]>('GET', membersPath());
  const member = all.find(({ idpUserId }) => idpUserId === who);
  const body = { idpUserId: who, role };
  return member ?? (await installation.api<{ userId: string }>('POST', membersPath(), body));
}

test.each([
  { role: 'admin', who: 'user_stranger', isNamed: true },
  { role: 'member', who: 'user_member', isNamed: false },
])(
  'an open page of a removed $role shows that their access has ended, without a reload',
  async ({ role, who, isNamed }) => {
    const { installation } = opened;
    const { tenantId } = installation.demo;
    const { userId } = await addMember(who, role);
    const colleague = await opened.newPage();
    // A page that asks for nothing by itself once it is loaded.
    await colleague.goto(`/agents?as=${who}${isNamed ? `&tenant=${tenantId}` : ''}`);
    await colleague.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    const address = colleague.url();

    await installation.api('DELETE', `${membersPath()}/${userId}`);
    await colleague.getByText('Your access to this tenant has ended.').waitFor();
    expect(await colleague.getByRole('navigation').count()).toBe(0);
    expect(colleague.url()).toBe(address);
    await colleague.getByRole('link', { name: 'Go to your tenants' }).click();
    await colleague.getByRole('navigation', { name: 'Pages' }).waitFor();
    await colleague.context().close();
  },
);

test('a colleague is invited by address, sees it after signing in, accepts, and is found among the members', async () => {
  await page.goto('/people/invitations?create=invitation');
  await field('Email address').fill('stu@people.sandbox.test');
  await field('Role').selectOption('admin');
  await button('Invite').click();
  const invitation = page.getByRole('row', { name: /stu@people\.sandbox\.test/ });
  await invitation.getByText('sent', { exact: true }).waitFor();

  const colleague = await opened.newPage();
  await colleague.goto('/?as=user_stranger&invitation=named');
  await colleague.getByText("This invitation can't be accepted here").waitFor();
  await colleague.getByRole('heading', { name: "You're invited to Demo" }).waitFor();
  await colleague.getByRole('button', { name: 'Accept', exact: true }).click();
  await colleague.getByRole('heading', { name: 'Demo', level: 1 }).waitFor();
  await colleague.context().close();

  await page.goto('/people');
  const member = page.getByRole('row', { name: /user_stranger|Stu Stranger/ });
  await member.getByRole('button', { name: 'Remove' }).click();
  await member.waitFor({ state: 'detached' });
});

test('an app is installed, its draft changed and published, and rolled back', async () => {
  await page.goto('/apps');
  await page
    .getByRole('button', { name: /^Install / })
    .first()
    .click();
  await page.getByText('Version 1 is live.').waitFor();
  await field('Edit').selectOption('text');
  const spec = field('Spec');
  const draft = JSON.parse(await spec.inputValue()) as { agents: { key: string }[] };
  await spec.fill('{ "specVersion": 1,');
  await button('Save draft').click();
  await page.getByText(/Invalid JSON/).waitFor();
  await spec.fill(JSON.stringify({ ...draft, routes: [] }));
  await button('Save draft').click();
  await eventually('it is saved', async () => (await spec.inputValue()).includes('"routes": []'));
  await button('Check').click();
  await page.getByText('The draft can be published.').waitFor();
  await button('Publish').click();
  await page.getByText('Version 2 is live.').waitFor();
  await button('Roll back to 1').click();
  await page.getByText('Version 3 is live.').waitFor();
});

test('a document is added, found as an agent finds it, and deleted', async () => {
  await page.goto('/agents/documents?create=document');
  await field('Title').fill('Opening hours');
  await field('Text').fill('On Sundays the shop opens at ten.');
  await button('Add document').click();
  const row = page.getByRole('row', { name: /Opening hours/ });
  await row.getByText('ready', { exact: true }).waitFor();
  await field('Query').fill('When does it open on Sundays?');
  await button('Search').click();
  await page.getByRole('list', { name: 'Passages' }).getByText('On Sundays the shop opens at ten.').waitFor();
  await row.getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('a file shows that it is too large before it is sent, its progress during the upload, and its refusal', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/agents/documents?create=file');
  const choose = (name: string, buffer: Buffer) =>
    field('File').setInputFiles({ name, buffer, mimeType: 'text/plain' });
  await choose('large.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
  await page.getByText('This file is 10.1 MB. The maximum is 10.0 MB.').waitFor();
  expect(await button('Upload').isDisabled()).toBe(true);
  await choose('empty.txt', Buffer.alloc(0));
  await page.getByText('This file is empty.').waitFor();
  expect(await button('Upload').isDisabled()).toBe(true);

  let held = Promise.withResolvers<Route>();
  await page.route('**/context-sources/upload?*', (route) => held.resolve(route));
  await choose('prices.md', Buffer.from('# Prices\n\nA pear costs 2 francs.'));
  await button('Upload').press('Enter');
  await page.getByRole('progressbar').waitFor();
  await button('Cancel').click();
  await page.getByText('Upload canceled.').first().waitFor();
  held = Promise.withResolvers();
  await button('Upload').press('Enter');
  await (await held.promise).continue();
  const done = page.getByRole('region', { name: 'Last action' });
  await done.getByRole('button', { name: 'Copy as curl' }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toMatch(
    /upload\?title=prices\.md'.* -H 'Content-Type: text\/markdown' --data-binary '@prices\.md'$/,
  );
  const row = page.getByRole('row', { name: /^prices\.md/ });
  await row.getByText('markdown', { exact: true }).waitFor();
  await row.getByText('ready', { exact: true }).waitFor();

  await page.unroute('**/context-sources/upload?*');
  await button('Upload a document …').click();
  await choose('picture.txt', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]));
  await button('Upload').click();
  await page.getByText('Details', { exact: true }).first().click();
  await page.getByText(/^415 · request /).waitFor();
  await page.keyboard.press('Escape');
  await row.getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
});

test('the key that a chat would use is shown with the reason, for each provider', async () => {
  await page.goto('/keys');
  const title = page.getByRole('heading', { name: 'Which key is used, and why?' });
  const choice = page.locator('section').filter({ has: title });
  await choice.getByText('No key: a call would be rejected.').waitFor();
  await button('Add a key …').first().click();
  await field('Key').fill('sk-test-0123456789abcdefghijklmnop');
  await button('Add key').click();
  await choice.getByText(/, the tenant's key\.$/).waitFor();
  await choice.getByLabel('Provider').selectOption('anthropic');
  await choice.getByText('No key: a call would be rejected.').waitFor();
  expect(new URL(page.url()).searchParams.get('kind')).toBe('anthropic');
});

test('a member is made an admin, and a member again', async () => {
  await addMember('user_member', 'member');
  await page.goto('/people');
  const row = page.getByRole('row', { name: /user_member|Max Member/ });
  for (const role of ['admin', 'member']) {
    await row.getByRole('button', { name: `Make ${role}` }).click();
    await row.getByText(role, { exact: true }).waitFor();
  }
});

test('a policy is edited: a bad text is refused at its line and column, and one that forbids everything can be mended', async () => {
  const { installation } = opened;
  const { policyId } = await installation.api<{ policyId: string }>('POST', '/api/auth/policies', {
    name: 'Night',
    text: 'forbid (principal, action, resource) when { false };',
  });
  await page.goto('/access/policies');
  await page.getByRole('link', { name: 'Night', exact: true }).click();
  await page.getByRole('heading', { name: 'Night', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/access/policies/${policyId}`);
  const findings = page.locator('form').getByRole('status');
  for (const way of ['Check', 'Save']) {
    await field('Text').fill('forbid (principal, action, resource)\nwhen { principal.isNobody };');
    await button(way).click();
    await findings.getByText(/^line 2, column 8: .*`isNobody`.*`User`/).waitFor();
    await field('Text').fill('forbid (principal, action, resource)\n  when;');
    await button(way).click();
    await findings.getByText(/^line 2, column 7: /).waitFor();
  }
  const text = 'forbid (principal, action, resource)\nwhen { true };';
  await field('Name').fill('Day');
  await field('Text').fill(text);
  await button('Check').click();
  await page.getByText('The policy can be saved.').waitFor();
  await button('Save').click();
  await page.getByRole('heading', { name: 'Day', level: 1 }).waitFor();
  const saved = await installation.api('GET', `/api/auth/policies/${policyId}`);
  expect(saved).toMatchObject({ name: 'Day', text });

  await page.reload();
  expect(await field('Text').inputValue()).toBe(text);
  await button('Disable').click();
  await page.getByText('disabled', { exact: true }).waitFor();
  await button('Delete').click();
  await page.getByText('No custom policies yet.').waitFor();
});

test('an operator sees the changes that moving rights to policies would make', async () => {
  await page.goto('/access/migration');
  await page.getByText('Relationships to change').waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test("the month's use is shown in usage, by agent, and can be exported as a file", async () => {
  await say('what did this cost?');
  await page.goto('/usage?by=agent');
  await page.getByRole('region', { name: 'By agent' }).getByRole('row').nth(1).waitFor();
  const saved = page.waitForEvent('download');
  // The chart above has one, too.
  await button('Export as CSV').last().click();
  expect((await saved).suggestedFilename()).toBe('usage-by-agent.csv');
});

test("the tenant's limits for the platform’s keys and its storage are shown in usage, with the rest of each", async () => {
  const path = `/api/bots/superadmin/tenants/${opened.installation.demo.tenantId}/allowance`;
  const allowance = page.locator('section').filter({
    has: page.getByRole('heading', { name: "Allowance for the platform's keys" }),
  });
  await opened.installation.api('PUT', path, { monthlyTokens: 1_234_567 });
  await page.goto('/usage');
  await allowance.getByText(/^\d.* of 1,234,567 tokens, .*left until/).waitFor();
  await allowance.getByRole('meter', { name: 'Usage of openai' }).waitFor();
  await page.getByRole('meter', { name: 'Usage of documents' }).waitFor();
  await opened.installation.api('PUT', path, { monthlyTokens: 0 });
  await page.reload();
  await allowance.getByText('used up', { exact: true }).waitFor();
  await opened.installation.api('PUT', path, { monthlyTokens: null });
});

test('an operator restarts a service and sees it return', async () => {
  await page.goto('/operator');
  const row = page.getByRole('row', { name: /^usage/ });
  const startedAt = await row.getByRole('time').getAttribute('datetime');
  await row.getByRole('button', { name: 'Restart usage' }).click();
  await row.getByText('done', { exact: true }).waitFor();
  await eventually('it has started anew', async () => {
    const again = await row.getByRole('time').getAttribute('datetime');
    return again !== null && again !== startedAt;
  });
});

test('two tabs with two people in two tenants don’t disturb each other', async () => {
  const other = await page.context().newPage();
  await page.goto('/?as=user_admin');
  await other.goto('/?as=user_neighbour');
  await other.getByRole('heading', { name: 'Neighbour', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Bots' }).first().click();
  await page.getByRole('cell', { name: 'Demo bot' }).first().waitFor();
  await other.getByRole('link', { name: 'Bots' }).first().click();
  await other.getByText('No bots yet.').waitFor();
  await page.reload();
  await page.getByRole('cell', { name: 'Demo bot' }).first().waitFor();
});
