import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalInstallation } from '../attack/local-installation.ts';
import { createButton, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';
import { fixedPages, namesOfThings, type PageOfThing, pagesOfThings } from './pages.ts';
import { plantHostileTexts } from './plant-hostile.ts';

let opened: OpenConsole;
let page: Page;
let things: readonly PageOfThing[];
beforeAll(async () => {
  opened = await openConsole();
  const { installation } = opened;
  await plantHostileTexts(installation);
  await plantThingsThatRefer(installation);
  things = await pagesOfThings((path) => installation.firstOf(path));
  page = await opened.newPage();
});
afterAll(() => opened?.close());

/** Things that refer to others: lists have to show the names of those, also once they are deleted. */
async function plantThingsThatRefer(installation: LocalInstallation): Promise<void> {
  const { tenantId, botId } = installation.demo;
  const call: LocalInstallation['api'] = (...request) => installation.api(...request);
  const agent = { name: 'Passing', instructions: 'Be brief.', provider: 'private-llm', model: 'sandbox' };
  const { id: agentId } = await call<{ id: string }>('POST', '/api/definitions/agents', agent);
  const bot = `/api/bots/${tenantId}/${botId}`;
  const { agentIds } = await call<{ agentIds: string[] }>('GET', bot);
  await call('PUT', bot, { agentIds: [agentId] });
  await writeToDemoBot(installation, 'who are you?');
  await eventually('it has answered', async () =>
    (await call<{ agentId: string | null }[]>('GET', '/api/context-traces?limit=5')).some(
      (trace) => trace.agentId === agentId,
    ),
  );
  await call('PUT', bot, { agentIds });
  await eventually('no bot has the agent any more, so it is deleted', () =>
    call('DELETE', `/api/definitions/agents/${agentId}`).then(
      () => true,
      () => false,
    ),
  );
  const assigned = { botId, agentId: installation.demo.agentId, priority: 1 };
  await call('POST', '/api/bot-assignment', assigned);
  await call('POST', `/api/keys/${tenantId}`, {
    provider: 'openai',
    apiKey: 'sk-test-0123456789abcdefghijkl',
  });
  const members = await call<{ userId: string }[]>('GET', `/api/bots/tenants/${tenantId}/members`);
  const edge = { subject: `user:${members[0]?.userId}`, relation: 'responder', object: `bot:${botId}` };
  await call('POST', '/api/authorization-edges', edge);
  const invitation = { email: 'ann@people.sandbox.test', role: 'responder', botIds: [botId] };
  await call('POST', `/api/bots/tenants/${tenantId}/invitations`, invitation);
  await call('POST', '/api/email-threads/senders', { botId, kind: 'group', value: 'people.sandbox.test' });
  await call('POST', '/api/interactions/labels', { name: 'Refund' });
  const shown = `/api/definitions/agents/${(await installation.firstOf('/api/definitions/agents'))?.id}`;
  await call('PUT', shown, { instructions: 'Be briefer.' });
  await call('POST', `${shown}/releases`, { version: 1 });
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Where identifiers stand for themselves: in addresses for curl, policies, JSON, and the lines of logs. */
const exceptions = 'code, pre, script, style, [aria-label=Logs]';

/** The texts of a page that people read or hear, and the content of fields. */
const readable = `[
  ...(function* texts(node) {
    if (node.nodeType === 3) yield node.data;
    else if (node.nodeType === 1 && !node.matches('${exceptions}')) for (const one of node.childNodes) yield* texts(one);
  })(document.body),
  ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ...[...document.querySelectorAll('[aria-label]')].map(({ ariaLabel }) => ariaLabel),
]`;

/** The texts with an identifier on the current page. */
async function identifiersOn(): Promise<string[]> {
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  const texts = await page.evaluate<string[]>(readable);
  return texts.filter((text) => uuid.test(text)).map((text) => text.slice(0, 200));
}

/** A name that is still fetched is shown as an ellipsis. */
const members = /\/members\?/;
const missingNames = () => page.getByText('…', { exact: true });

test('no page shows an identifier where there is a name', async () => {
  expect(things.map(({ name }) => name)).toEqual(namesOfThings);
  const chat = things.find(({ name }) => name === 'chat')?.path ?? '';
  const traces = await opened.installation.api<{ traceId: string }[]>('GET', '/api/context-traces?limit=5');
  const shown: Record<string, string[]> = {};
  for (const path of [
    ...fixedPages,
    ...things.map((thing) => thing.path),
    ...traces.map(({ traceId }) => `${chat}?trace=${traceId}`),
    ...['agent', 'bot', 'model', 'key'].map((by) => `/usage?by=${by}`),
  ]) {
    await openPage(page, path);
    await expect.poll(() => missingNames().count()).toBe(0);
    const identifiers = await identifiersOn();
    if (identifiers.length > 0) shown[path] = identifiers;
  }
  expect(shown).toEqual({});
});

test('while the names of people are fetched, the relationships show no identifiers in their place', async () => {
  const mayBeFetched = Promise.withResolvers<void>();
  await page.route(members, async (route) => {
    await mayBeFetched.promise;
    await route.continue();
  });
  await page.goto('/access');
  await missingNames().first().waitFor();
  expect(await identifiersOn()).toEqual([]);
  mayBeFetched.resolve();
  await expect.poll(() => missingNames().count()).toBe(0);
  expect(await identifiersOn()).toEqual([]);
  await page.unroute(members);
});

test('a document that is there already is refused with the title of the other one', async () => {
  const text = 'On Sundays we open at ten.';
  await opened.installation.api('POST', '/api/context-sources', { title: 'Opening hours', text });
  await openPage(page, '/agents/documents');
  await createButton(page, 'New document').click();
  await page.getByLabel('Title', { exact: true }).fill('Hours');
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Add document' }).click();
  await page.getByText('the tenant already has this document: it is “Opening hours”').waitFor();
  expect(await identifiersOn()).toEqual([]);
});
