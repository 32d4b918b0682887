import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LocalInstallation } from '../attack/local-installation.ts';
import { type ConsoleBrowser, lookAt, openPage, writeToDemoBot } from './open-console.ts';
import { fixedPages, pagesOfThings } from './pages.ts';

/** How people reach the console, by their role. The responder is Stu, who has no tenant before the edge is made. */
const callers = {
  operator: '',
  admin: 'as=user_admin',
  member: 'as=user_member',
  guest: 'as=user_stranger',
  responder: 'as=user_stranger',
};
type Caller = keyof typeof callers;

describe.each([
  { tools: 'with external tools', TOOL_INTEGRATIONS_ENABLED: 'true' },
  { tools: 'without external tools', TOOL_INTEGRATIONS_ENABLED: 'false' },
])('$tools', ({ TOOL_INTEGRATIONS_ENABLED }) => {
  let installation: LocalInstallation;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    installation = await LocalInstallation.start({ CONSOLE_BUILD: 'true', TOOL_INTEGRATIONS_ENABLED });
    browser = await lookAt(installation.gatewayUrl);
    await writeToDemoBot(installation, 'hello');
  });
  afterAll(async () => {
    await browser?.close();
    await installation?.stop();
  });

  const desk = { viewport: { width: 1440, height: 900 } };
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  test.each([
    ...(Object.keys(callers) as Caller[]).map((caller) => [caller, 'at a desk', desk] as const),
    ['admin', 'on a phone', phone] as const,
  ])(
    'no page makes a request that fails or reports an error to a reader who is %s %s',
    async (caller, _where, look) => {
      if (caller === 'responder') await makeResponder(installation);
      const page = await browser.newPage(look);
      const faults = faultsOf(page);
      for (const path of await addressesFor(installation, TOOL_INTEGRATIONS_ENABLED === 'true')) {
        await openPage(page, `${path}?${searchOf(installation, caller)}`);
        faults.at(path);
      }
      await page.context().close();
      expect(faults.seen).toEqual([]);
    },
  );
});

function searchOf({ demo }: LocalInstallation, caller: Caller): string {
  const tenant = caller === 'guest' ? '' : `tenant=${demo.tenantId}`;
  return [callers[caller], tenant].filter((part) => part !== '').join('&');
}

/** The fixed pages, and that of one thing of each kind that there is. */
async function addressesFor(installation: LocalInstallation, hasExternalTools: boolean): Promise<string[]> {
  const isSwitchedOff = (path: string) =>
    path.startsWith('/api/admin/apps') || (!hasExternalTools && path.startsWith('/api/integrations'));
  const things = await pagesOfThings(async (path) =>
    isSwitchedOff(path) ? undefined : await installation.firstOf(path),
  );
  return [...fixedPages, ...things.map(({ path }) => path)];
}

/** Collects what fails on a page, each with the address at which it failed. */
function faultsOf(page: Page) {
  const seen: string[] = [];
  let sinceLast: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) sinceLast.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') sinceLast.push(message.text());
  });
  page.on('pageerror', ({ message }) => sinceLast.push(message));
  const at = (path: string) => {
    seen.push(...sinceLast.map((fault) => `${path}: ${fault}`));
    sinceLast = [];
  };
  return { seen, at };
}

async function makeResponder(installation: LocalInstallation): Promise<void> {
  const token = await installation.tokenOf('user_stranger');
  const answer = await fetch(`${installation.gatewayUrl}/api/current-user`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { userId } = (await answer.json()) as { userId: string };
  await installation.api('POST', '/api/authorization-edges', {
    subject: `user:${userId}`,
    relation: 'responder',
    object: `bot:${installation.demo.botId}`,
  });
}
