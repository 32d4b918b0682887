import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { consolePages } from '@botyard/contracts/console-paths';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../browser/open-browser.ts';
import { startInstallation } from '../installation/installation.ts';
import { writeOldMessages } from '../installation/old-messages.ts';
import { connectAsOwner } from '../installation/owner.ts';
import { root } from '../installation/root.ts';
import { type Groups, pssMib } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const chats = 10_000;
const inChat = 10;
const downloads = 20;
const firstView = 'first view';

/**
 * Measures the console: its build, its first view, each change of page with 10,000 chats, and the gateway's
 * memory.
 */
export const consolePart: Part = async ({ dir, cleanup, rounds, say }) => {
  const series = new Series();
  say('building');
  for (let round = 0; round < rounds; round += 1)
    series.add('build', { seconds: (await buildConsole()) / 1000 });
  const dataDir = join(dir, 'installation');
  const installation = await startInstallation({
    dataDir,
    cleanup,
    env: { CONSOLE_BUILD: 'false', TOOL_INTEGRATIONS_ENABLED: 'true' },
  });
  const owner = await connectAsOwner(dataDir, cleanup);
  const tenantId = await demoTenantOf(installation.gatewayUrl);
  say(`planting ${chats} chats with ${chats * inChat} messages`);
  await writeOldMessages(owner, { tenantId, count: chats * inChat, inChat });
  await readAll(installation.gatewayUrl, tenantId);
  for (let round = 0; round < rounds; round += 1)
    series.add('gateway', await memoryOf(installation.pids, () => downloadAll(installation.gatewayUrl)));
  const browser = await openBrowser([]);
  await cleanup.add(() => browser.close());
  let shown = 0;
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}/${rounds}`);
    shown += await walk(browser, installation.gatewayUrl, series);
  }
  return {
    tables: [pagesTable(series), costsTable(series)],
    checks: [check('rounds in which the inbox showed a chat of those', rounds, shown)],
    rounds: series,
  };
};

/** Builds the console as after a change of its sources. Returns the duration in milliseconds. */
async function buildConsole(): Promise<number> {
  await rm(join(root, 'console/dist/sources.txt'), { force: true });
  const begin = performance.now();
  const build = spawn(process.execPath, [join(root, 'console/build/main.ts')], { stdio: 'ignore' });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the console's build exited with ${code}`);
  return performance.now() - begin;
}

async function demoTenantOf(gatewayUrl: string): Promise<string> {
  const answer = await fetch(`${gatewayUrl}/api/bots?limit=1`);
  const [bot] = (await answer.json()) as { tenantId: string }[];
  if (!bot) throw new Error('there is no demo bot');
  return bot.tenantId;
}

/** Warms up the services, so that no page includes one-time work of a process. */
async function readAll(gatewayUrl: string, tenantId: string): Promise<void> {
  for (const path of ['current-user', 'bots', 'interactions/chats', 'definitions/agents', 'dashboard/status'])
    await (await fetch(`${gatewayUrl}/api/${path}`, { headers: { 'x-tenant-id': tenantId } })).arrayBuffer();
}

/** Repeatedly requests the page and all its files, like a browser without a cache. */
async function downloadAll(gatewayUrl: string): Promise<void> {
  for (let n = 0; n < downloads; n += 1) {
    const page = await (await fetch(gatewayUrl)).text();
    for (const [path] of page.matchAll(/\/console\/assets\/[\w-]+\.(?:js|css)/g))
      await (await fetch(`${gatewayUrl}${path}`)).arrayBuffer();
  }
}

async function memoryOf(pids: Groups, work: () => Promise<void>): Promise<Record<string, number>> {
  const before = pssMib(pids).gateway ?? Number.NaN;
  await work();
  return { before, more: (pssMib(pids).gateway ?? Number.NaN) - before };
}

interface Ready {
  /** The time until there is a heading and nothing is loading. */
  readyMs: number;
  /** The part of that time with at least one API request in flight. */
  apiMs: number;
}

/**
 * Opens the console in a browser without a cache and visits every page twice. Returns the number of rounds in which the
 * inbox showed one of the inserted chats.
 */
async function walk(browser: Browser, gatewayUrl: string, series: Series): Promise<number> {
  const context = await browser.newContext({ baseURL: gatewayUrl });
  const page = await context.newPage();
  await page.addInitScript(watchOf);
  await page.goto('/', { waitUntil: 'commit' });
  series.add(firstView, { ...(await page.evaluate<Ready>('untilReady(undefined, 0)')) });
  let shown = 0;
  for (const again of [false, true])
    for (const name of consolePages) {
      const ready = await changeTo(page, name);
      series.add(name, again ? { againMs: ready.readyMs } : { ...ready });
      if (name === 'inbox' && !again) shown = await page.getByText(/^Chat \d+$/).count();
    }
  await context.close();
  return shown > 0 ? 1 : 0;
}

const changeTo = (page: Page, name: string): Promise<Ready> =>
  page.evaluate<Ready>(`(() => {
    performance.clearResourceTimings();
    const old = document.querySelector('h1');
    const begin = performance.now();
    document.querySelector('nav a[href^="/${name}"]').click();
    return untilReady(old, begin);
  })()`);

/** Runs in the page. */
const watchOf = `
  const busyMs = (begin, end) => {
    let busy = 0, until = begin;
    const asked = performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.startsWith('/api/'))
      .sort((one, other) => one.startTime - other.startTime);
    for (const { startTime, responseEnd } of asked) {
      const from = Math.max(until, startTime), to = Math.min(responseEnd, end);
      if (to > from) { busy += to - from; until = to; }
    }
    return busy;
  };
  globalThis.untilReady = (old, begin) => new Promise((resolve) => {
    const look = () => {
      const heading = document.querySelector('h1');
      const isLoading = document.querySelector('[role=status][aria-label=Loading]');
      if (!heading || heading === old || isLoading) return requestAnimationFrame(look);
      const end = performance.now();
      resolve({ readyMs: end - begin, apiMs: busyMs(begin, end) });
    };
    look();
  });
`;

function pagesTable(series: Series): Table {
  const row = (name: string) => [
    name,
    spread(series.of(name, 'readyMs')),
    spread(series.of(name, 'apiMs')),
    times(series.quotient(name, 'readyMs', 'apiMs')),
    spread(series.of(name, 'againMs')),
  ];
  return {
    title: `Console: until a page is ready, with ${chats} chats and ${chats * inChat} messages of its tenant`,
    head: ['page', 'ready ms', 'API ms of that', 'ready, of API', 'second time, ms'],
    rows: [firstView, ...consolePages].map(row),
    notes: [
      'Ready: it has its heading, and nothing is still loading. API: at least one request to it was under way.',
      'A browser with an empty cache; the files of a page come with its first time, and are kept for the second.',
    ],
  };
}

function costsTable(series: Series): Table {
  return {
    title: 'Console: what it costs beside',
    head: ['what', 'figure'],
    rows: [
      ['build, s', spread(series.of('build', 'seconds'))],
      ['gateway before, MiB', spread(series.of('gateway', 'before'))],
      [
        `gateway after ${downloads} downloads of the first view, MiB more`,
        spread(series.of('gateway', 'more')),
      ],
    ],
    notes: [],
  };
}
