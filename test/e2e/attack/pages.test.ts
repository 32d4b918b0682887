import { eventually } from '@botyard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './chromium.ts';
import { gatewayDeeds, sandboxDeeds } from './deeds.ts';
import { House } from './house.ts';
import { openSite, type Seen, tryDeeds, watch } from './page.ts';

let house: House;
let browser: Browser;
let site: Awaited<ReturnType<typeof openSite>>;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser(['evil.test', '*.evil.test']);
  [house, site] = await Promise.all([House.start(), openSite()]);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await house?.stop();
});

async function open(address: string): Promise<Page> {
  await page?.close();
  page = await browser.newPage();
  await page.goto(address);
  return page;
}

/** Tries everything from a page at this address, and returns what the page could read and the network's requests. */
async function attackFrom(address: string, { gateway, sandbox }: { gateway: string; sandbox: string }) {
  const before = await house.everything();
  await open(address);
  const seen = watch(page, [gateway, sandbox]);
  const deeds = [...gatewayDeeds(house, gateway), ...sandboxDeeds(await house.demoBotToken(), sandbox)];
  const readable = await tryDeeds(page, deeds);
  const posts = deeds.filter(({ method }) => method === 'POST').length;
  // Each post goes out at least as a fetch that asks nothing first, a form and a beacon.
  const count = () => seen.filter(({ request }) => request.startsWith('POST')).length;
  await eventually('all posts were answered', () => count() >= posts * 3 || undefined);
  expect(await house.everything()).toEqual(before);
  return { readable, seen };
}

const refusedBy = ({ status }: Seen) => status === 401 || status === 403;

function report(who: string, seen: readonly Seen[]): void {
  process.stdout.write(`attack: ${who}: ${seen.length} answers of ours seen, 0 let in\n`);
}

test('A-01: the installation answers its own pages, and a browser on this machine gets access', async () => {
  await open(`http://localhost:${house.gatewayPort}/docs`);
  const asked = `fetch('/api/current-user').then((answer) => answer.json())`;
  expect(await page.evaluate(asked)).toMatchObject({ idpUserId: 'user_dev', isOperator: true });
  await open(house.sandboxUrl);
  await page.getByText('Demo bot').first().waitFor();
  await open(`${house.sandboxUrl}/people`);
  await page.getByText('Stu Stranger').waitFor();
});

test('A-01: a page of another origin reads nothing and changes nothing', async () => {
  const address = `http://evil.test:${site.port}/`;
  const targets = { gateway: house.gatewayUrl, sandbox: house.sandboxUrl };
  const { readable, seen } = await attackFrom(address, targets);
  expect(readable.filter((status) => status !== null)).toEqual([]);
  expect(seen.filter((one) => !refusedBy(one))).toEqual([]);
  report('a page of another origin', seen);
});

test('A-01: a page of another port of this machine reads nothing and changes nothing', async () => {
  const address = `http://localhost:${site.port}/`;
  const targets = {
    gateway: `http://localhost:${house.gatewayPort}`,
    sandbox: `http://localhost:${house.sandboxPort}`,
  };
  const { readable, seen } = await attackFrom(address, targets);
  expect(readable.filter((status) => status !== null)).toEqual([]);
  expect(seen.filter((one) => !refusedBy(one))).toEqual([]);
  report('a page of another port', seen);
});

test('A-01: a page whose name leads here (DNS rebinding) reads refusals alone and changes nothing', async () => {
  // The name led to the attacker's machine when the page came, and leads here now: the page is of the gateway's origin.
  const gateway = `http://evil.test:${house.gatewayPort}`;
  const sandbox = `http://a.evil.test:${house.sandboxPort}`;
  const own = await attackFrom(`${gateway}/api/health`, { gateway, sandbox });
  expect(own.readable.filter((status) => status !== null && status !== 401)).toEqual([]);
  expect(own.readable).toContain(401);
  expect(own.seen.filter((one) => !refusedBy(one))).toEqual([]);
  const before = await house.everything();
  await open(`${sandbox}/`);
  const readable = await tryDeeds(page, sandboxDeeds(await house.demoBotToken(), sandbox));
  expect([...new Set(readable)]).toEqual([403]);
  expect(await house.everything()).toEqual(before);
  report('a page whose name leads here', own.seen);
});
