import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';

/** The bytes a second of a line with 400 kbit/s, and the milliseconds until its first byte. */
const slowLine = { bytesPerSecond: 50_000, latencyMs: 40 };
const settleMs = 1000;

/** Runs in the page. A page is ready when it has its heading, and nothing is still loading. */
const watch = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
  }).observe({ type: 'longtask' });
  globalThis.untilReady = (before, begin) => new Promise((resolve) => {
    const look = () => {
      const heading = document.querySelector('h1');
      const isLoading = document.querySelector('[role=status][aria-label=Loading]');
      if (!heading || heading === before || isLoading) return requestAnimationFrame(look);
      resolve(performance.now() - begin);
    };
    look();
  });
`;

async function openWatched(browser: Browser, baseURL: string): Promise<Page> {
  const page = await (
    await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } })
  ).newPage();
  await page.addInitScript(watch);
  return page;
}

/** Milliseconds by page: the first time, and once its files are there. */
export interface Changes {
  firstMs: Readonly<Record<string, number>>;
  againMs: Readonly<Record<string, number>>;
}

/** Goes through all pages of the sidebar twice. */
export async function walk(browser: Browser, baseURL: string): Promise<Changes> {
  const page = await openWatched(browser, baseURL);
  await page.goto('/');
  await page.evaluate('untilReady(undefined, 0)');
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll('nav[aria-label=Pages] a')].map(({ pathname }) => pathname)`,
  );
  // Home is open already.
  const order = [...paths.slice(1), ...paths.slice(0, 1)];
  const visitAll = async () => {
    const times: Record<string, number> = {};
    for (const path of order) times[path] = await changeTo(page, path);
    return times;
  };
  const firstMs = await visitAll();
  const againMs = await visitAll();
  await page.context().close();
  return { firstMs, againMs };
}

const changeTo = (page: Page, path: string): Promise<number> =>
  page.evaluate<number>(`(() => {
    const before = document.querySelector('h1');
    const link = [...document.querySelectorAll('nav[aria-label=Pages] a')].find((one) => one.pathname === '${path}');
    const begin = performance.now();
    link.click();
    return untilReady(before, begin);
  })()`);

/** Opens a page over a slow line with an empty cache. Returns the milliseconds until its content is shown. */
export async function openSlowly(browser: Browser, baseURL: string, path: string): Promise<number> {
  const page = await openWatched(browser, baseURL);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slowLine.latencyMs,
    downloadThroughput: slowLine.bytesPerSecond,
    uploadThroughput: slowLine.bytesPerSecond,
  });
  await page.goto(path, { waitUntil: 'commit' });
  const readyMs = await page.evaluate<number>('untilReady(undefined, 0)');
  await page.context().close();
  return readyMs;
}

/** Keeps a page open while `work` runs. Returns its longest task; tasks below 50 ms count as 0. */
export async function longestTaskDuring(
  browser: Browser,
  baseURL: string,
  path: string,
  work: () => Promise<void>,
): Promise<number> {
  const page = await openWatched(browser, baseURL);
  await page.goto(path);
  await page.evaluate('untilReady(undefined, 0)');
  await pause(settleMs);
  await page.evaluate('longestTaskMs = 0');
  await work();
  await pause(settleMs);
  const longestMs = await page.evaluate<number>('longestTaskMs');
  await page.context().close();
  return longestMs;
}
