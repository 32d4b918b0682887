import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';
import { fixedPages, namesOfThings, type PageOfThing, pagesOfThings } from './pages.ts';
import { hostile, plantHostileTexts } from './plant-hostile.ts';

/** The planted texts that pages have to show, by their addresses as the router writes them. */
const shown: Readonly<Record<string, readonly string[]>> = {
  '/': ['tenant'],
  '/inbox': ['name'],
  '/inbox/$chatId': ['name', 'message'],
  '/inbox/texts': ['canned'],
  '/inbox/held-mails': ['subject'],
  '/inbox/held-mails/$mailId': ['subject', 'mail'],
  '/agents': ['agent'],
  '/agents/$agentId': ['agent', 'changed'],
  '/agents/marketplace': ['agent'],
  '/agents/documents': ['document'],
  '/agents/tools': ['tool'],
  '/agents/tools/$toolId': ['tool'],
  '/agents/servers': ['server'],
  '/agents/servers/$serverId': ['server', 'offer'],
  '/agents/capabilities': ['capability', 'about'],
  '/agents/capabilities/$capabilityId': ['capability', 'how'],
  '/bots': ['bot'],
  '/bots/$botId': ['bot'],
  '/approvals': ['search the weather of'],
  '/apps': ['app'],
  '/apps/$appId': ['app', 'record'],
  '/tests': ['set'],
  '/tests/$setId': ['set', 'case'],
  '/tests/runs/$runId': ['set', 'case', 'rubric'],
  '/people': ['person'],
  '/people/moderation': ['reason'],
  '/access/policies': ['policy', 'cedar'],
  '/access/policies/$policyId': ['policy', 'cedar'],
  '/failures': ['letter', 'refusal'],
  '/operator/tenants': ['tenant'],
};

let opened: OpenConsole;
let page: Page;
let things: readonly PageOfThing[];
beforeAll(async () => {
  opened = await openConsole();
  await plantHostileTexts(opened.installation);
  things = await pagesOfThings((path) => opened.installation.firstOf(path));
  page = await opened.newPage();
});
afterAll(() => opened?.close());

/** All readable text on a page, including the content of fields, and JSON's escapes of quotation marks. */
const readable = (): Promise<string> =>
  page.evaluate<string>(`[
    document.body.innerText,
    ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ].join('\\n').replaceAll('\\\\"', '"')`);

/** Whether any of it has become more than text. */
const becameMore = (): Promise<unknown> =>
  page.evaluate(`({
    ran: typeof pwn !== 'undefined',
    elements: document.querySelectorAll('[onerror], img[src=x], iframe:not([title="Preview of the chat"]), body script:not([type=module])').length,
    computed: document.body.innerText.includes('<script>pwn=1</script>49'),
    links: [...document.querySelectorAll('a')].filter(({ protocol }) => !/^https?:$/.test(protocol)).length,
  })`);

async function isText(route: string, path: string, enter = () => openPage(page, path)): Promise<void> {
  await enter();
  for (const of of shown[route] ?? [])
    await expect.poll(readable, { message: `${path} shows the ${of}` }).toContain(hostile(of));
  expect([path, await becameMore()]).toEqual([path, { ran: false, elements: 0, computed: false, links: 0 }]);
  expect([path, ...opened.complaints]).toEqual([path]);
}

test('there is something of every kind, so that every page of the router is walked', () => {
  expect(things.map(({ name }) => name)).toEqual(namesOfThings);
  const walked = [...fixedPages, ...things.map(({ route }) => route)];
  expect(Object.keys(shown).filter((route) => !walked.includes(route))).toEqual([]);
});

test('every page shows hostile texts letter by letter, and its content policy had nothing to refuse', async () => {
  for (const path of fixedPages) await isText(path, path);
  for (const { route, path } of things) await isText(route, path);
});

/** They show no data of the API: forms for new resources. */
const withoutJson = ['/agents/new', '/bots/set-up'];

test('the JSON of every page is one click away, and as harmless', async () => {
  for (const path of [...fixedPages, ...things.map((thing) => thing.path)]) {
    if (withoutJson.includes(path)) continue;
    await isText('', path, async () => {
      await openPage(page, path);
      await page.getByRole('button', { name: 'For developers' }).click();
      await page.getByRole('dialog').waitFor();
    });
  }
});

test('the reason for an answer, the palette and the search show hostile text as text', async () => {
  const chat = things.find(({ name }) => name === 'chat')?.path ?? '';
  const traces = await opened.installation.api<{ traceId: string }[]>('GET', '/api/context-traces?limit=5');
  for (const { traceId } of traces) await isText('', `${chat}?trace=${traceId}`);
  const text = hostile('').trim();
  for (const path of ['/inbox', '/agents', '/agents/tools', '/people', '/keys', '/failures', '/operator'])
    await isText('', `${path}?q=${encodeURIComponent(text)}`);
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/^Search pages/).fill('onerror=pwn');
  await page.getByRole('option').getByText(hostile('agent'), { exact: true }).first().waitFor();
  expect(await becameMore()).toMatchObject({ ran: false, elements: 0 });
  expect(opened.complaints).toEqual([]);
});

test('violations of the content policy are detected here: an element with a script, and text that becomes HTML', async () => {
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('img'), { src: 'https://x.test/' }))`,
  );
  await expect.poll(() => opened.complaints.length).toBeGreaterThan(0);
  const before = opened.complaints.length;
  const set = page.evaluate(`void (document.createElement('p').innerHTML = '<b>x</b>')`);
  await expect(set).rejects.toThrow(/TrustedHTML/);
  await expect.poll(() => opened.complaints.length).toBeGreaterThan(before);
});
