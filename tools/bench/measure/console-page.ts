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

/** A page's longest tasks. By the clock, a task also waits for the core while other processes have it. */
export interface LongestTasks {
  cpuMs: number;
  /** Tasks below 50 ms count as 0. */
  clockMs: number;
}

/** Keeps a page open while `work` runs. Returns its longest tasks. */
export async function longestTasksDuring(
  browser: Browser,
  baseURL: string,
  path: string,
  work: () => Promise<void>,
): Promise<LongestTasks> {
  const page = await openWatched(browser, baseURL);
  await page.goto(path);
  await page.evaluate('untilReady(undefined, 0)');
  await pause(settleMs);
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  await page.evaluate('longestTaskMs = 0');
  await work();
  await pause(settleMs);
  const clockMs = await page.evaluate<number>('longestTaskMs');
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await page.context().close();
  return { cpuMs: longestCpuMs(events), clockMs };
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args: { name?: string };
  /** The CPU time of a task in microseconds. */
  tdur?: number;
}

function longestCpuMs(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const times = events
    .filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)))
    .map(({ tdur }) => tdur ?? 0);
  if (times.length === 0) throw new Error('the trace has no task of a page');
  return times.reduce((longest, one) => Math.max(longest, one), 0) / 1000;
}
