import { eventually } from '@botyard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../../tools/browser/open-browser.ts';
import { gatewayAttacks, sandboxAttacks } from './attack-requests.ts';
import { LocalInstallation } from './local-installation.ts';
import { openSite, type Seen, sendAttacks, watch } from './page.ts';

let installation: LocalInstallation;
let browser: Browser;
let site: Awaited<ReturnType<typeof openSite>>;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser(['evil.test', '*.evil.test']);
  [installation, site] = await Promise.all([LocalInstallation.start(), openSite()]);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await installation?.stop();
});

async function open(address: string): Promise<Page> {
  await page?.close();
  page = await browser.newPage();
  await page.goto(address);
  return page;
}

/** Tries everything from a page at this address, and returns what the page could read and the network's requests. */
async function attackFrom(address: string, { gateway, sandbox }: { gateway: string; sandbox: string }) {
  await eventually('the demo bot has taken its first message', async () => {
    const { sandboxBots } = await installation.snapshot();
    return !/"pendingUpdates":[1-9]/.test(JSON.stringify(sandboxBots));
  });
  const before = await installation.snapshot();
  await open(address);
  const seen = watch(page, [gateway, sandbox]);
  const attacks = [
    ...gatewayAttacks(installation, gateway),
    ...sandboxAttacks(await installation.demoBotToken(), sandbox),
  ];
  const readable = await sendAttacks(page, attacks);
  const posts = attacks.filter(({ method }) => method === 'POST').length;
  // Each post goes out at least as a fetch that asks nothing first, a form and a beacon.
  const count = () => seen.filter(({ request }) => request.startsWith('POST')).length;
  await eventually('all posts were answered', () => count() >= posts * 3 || undefined);
  expect(await installation.snapshot()).toEqual(before);
  return { readable, seen };
}

const refusedBy = ({ status }: Seen) => status === 401 || status === 403;

function report(who: string, seen: readonly Seen[]): void {
  process.stdout.write(`attack: ${who}: ${seen.length} answers of ours seen, 0 let in\n`);
}

test('A-01: the installation answers its own pages, and a browser on this machine gets access', async () => {
  await open(`http://localhost:${installation.gatewayPort}/docs`);
  const script = `fetch('/api/current-user').then((answer) => answer.json())`;
  expect(await page.evaluate(script)).toMatchObject({ idpUserId: 'user_dev', isOperator: true });
  await open(installation.sandboxUrl);
  await page.getByText('Demo bot').first().waitFor();
  await open(`${installation.sandboxUrl}/people`);
  await page.getByText('Stu Stranger').waitFor();
});

test('A-01: a page of another origin reads nothing and changes nothing', async () => {
  const address = `http://evil.test:${site.port}/`;
  const targets = { gateway: installation.gatewayUrl, sandbox: installation.sandboxUrl };
  const { readable, seen } = await attackFrom(address, targets);
  expect(readable.filter((status) => status !== null)).toEqual([]);
  expect(seen.filter((one) => !refusedBy(one))).toEqual([]);
  report('a page of another origin', seen);
});

test('A-01: a page of another port of this machine reads nothing and changes nothing', async () => {
  const address = `http://localhost:${site.port}/`;
  const targets = {
    gateway: `http://localhost:${installation.gatewayPort}`,
    sandbox: `http://localhost:${installation.sandboxPort}`,
  };
  const { readable, seen } = await attackFrom(address, targets);
  expect(readable.filter((status) => status !== null)).toEqual([]);
  expect(seen.filter((one) => !refusedBy(one))).toEqual([]);
  report('a page of another port', seen);
});

test('A-01: a page whose name leads here (DNS rebinding) reads refusals alone and changes nothing', async () => {
  // The name led to the attacker's machine when the page came, and leads here now: the page is of the gateway's origin.
  const gateway = `http://evil.test:${installation.gatewayPort}`;
  const sandbox = `http://a.evil.test:${installation.sandboxPort}`;
  const own = await attackFrom(`${gateway}/api/health`, { gateway, sandbox });
  expect(own.readable.filter((status) => status !== null && status !== 401)).toEqual([]);
  expect(own.readable).toContain(401);
  expect(own.seen.filter((one) => !refusedBy(one))).toEqual([]);
  const before = await installation.snapshot();
  await open(`${sandbox}/`);
  const readable = await sendAttacks(page, sandboxAttacks(await installation.demoBotToken(), sandbox));
  expect([...new Set(readable)]).toEqual([403]);
  expect(await installation.snapshot()).toEqual(before);
  report('a page whose name leads here', own.seen);
});
