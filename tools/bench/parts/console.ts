import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import type { RunFile } from '../../../test/e2e/launcher-process.ts';
import { openBrowser } from '../../browser/open-browser.ts';
import { Series, spreadOf } from '../../rig/series.ts';
import { type Column, check, seriesTable, spread, type Table } from '../../rig/table.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { plantChats } from '../installation/plant-chats.ts';
import { longestTasksDuring, openSlowly, walk } from '../measure/console-page.ts';
import { interleave } from '../measure/rounds.ts';
import type { Bench, Part } from '../part.ts';
import { type Aim, atMost } from '../report/aims.ts';
import { beside } from './reads.ts';

const sizes = [300, 10_000] as const;
const messagesPerSecond = 20;
/** As many people write in turn, each in a chat of their own. */
const writers = 20;
const builtWithinMs = 120_000;
const answeredWithinMs = 120_000;

interface Build {
  name: string;
  installation: Installation;
  demoBot: NonNullable<RunFile['demoBot']>;
  sandboxUrl: string;
}

/** Measures the console in a browser, with a growing number of chats. */
export const consolePart: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const builds = [
    ...(bench.beside ? [await startBuild(bench, beside, bench.beside)] : []),
    await startBuild(bench, 'botyard'),
  ];
  const browser = await openBrowser([]);
  await cleanup.add(() => browser.close());
  const series = new Series();
  const counts = { sent: 0, taken: 0 };
  let planted = 0;
  for (const size of sizes) {
    say(`planting chats: ${planted} -> ${size}`);
    for (const { installation, demoBot } of builds)
      await plantChats(installation.launcher, demoBot, { from: planted, to: size });
    planted = size;
    await interleave(builds, rounds, async (build, round) => {
      say(`${size} chats, round ${round + 1}/${rounds}: ${build.name}`);
      const { gatewayUrl } = build.installation;
      const { firstMs, againMs } = await walk(browser, gatewayUrl);
      series.add(`${build.name}: pages with ${size}`, firstMs);
      series.add(`${build.name}: pages again with ${size}`, againMs);
      const messages = Math.round(messagesPerSecond * seconds);
      const writing = async () => {
        counts.sent += messages;
        counts.taken += await write(build, messages);
      };
      const homeMs = await openSlowly(browser, gatewayUrl, '/');
      const inboxMs = await openSlowly(browser, gatewayUrl, '/inbox');
      const chat = await openChatOf(build);
      const longest = await longestTasksDuring(browser, gatewayUrl, chat, writing);
      series.add(nameOf(build, size), {
        ...figuresOf('first', firstMs),
        ...figuresOf('again', againMs),
        homeMs,
        inboxMs,
        longestTaskMs: longest.cpuMs,
        longestTaskClockMs: longest.clockMs,
      });
    });
  }
  return {
    tables: [buildsTable(series, builds), pagesTable(series, builds)],
    checks: [check('messages that the messenger took', counts.sent, counts.taken)],
    aims: aimsOf(series),
    rounds: series,
  };
};

function aimsOf(series: Series): Aim[] {
  const largest = nameOf({ name: 'botyard' }, sizes[1]);
  return [
    atMost(200, {
      id: 'K1',
      what: `console, slowest change of page with ${sizes[1]} chats`,
      unit: 'ms',
      measured: series.of(largest, 'againSlowest'),
    }),
    atMost(2500, {
      id: 'K2',
      what: `console, the inbox at 400 kbit/s with ${sizes[1]} chats`,
      unit: 'ms',
      measured: series.of(largest, 'inboxMs'),
    }),
    atMost(50, {
      id: 'K3',
      what: `console, longest task (CPU) at ${messagesPerSecond} messages/s`,
      unit: 'ms',
      measured: series.of(largest, 'longestTaskMs'),
    }),
  ];
}

const nameOf = ({ name }: Pick<Build, 'name'>, size: number): string => `${name}, ${size} chats`;

function figuresOf(name: string, times: Readonly<Record<string, number>>): Record<string, number> {
  const { median = Number.NaN, max = Number.NaN } = spreadOf(Object.values(times)) ?? {};
  return { [`${name}Median`]: median, [`${name}Slowest`]: max };
}

const buildsTable = (series: Series, builds: readonly Build[]): Table =>
  seriesTable(
    series,
    sizes.flatMap((size) => builds.map((build) => nameOf(build, size))),
    {
      title: 'Console: changes of page, first view at 400 kbit/s, longest task under live messages',
      first: 'build',
      columns,
      notes: [
        'Ready: it has its heading, and nothing is still loading. Again: its files are in the cache.',
        `Longest task: while ${messagesPerSecond} messages a second come in and are answered. By the clock it also waits`,
        'for other processes, and 0 is below 50 ms.',
      ],
    },
  );

const columns: Column[] = [
  ['page, ms', 'firstMedian'],
  ['slowest', 'firstSlowest'],
  ['again, ms', 'againMedian'],
  ['slowest', 'againSlowest'],
  ['home slowly, ms', 'homeMs'],
  ['inbox slowly, ms', 'inboxMs'],
  ['longest task, ms CPU', 'longestTaskMs'],
  ['by the clock, ms', 'longestTaskClockMs'],
];

function pagesTable(series: Series, builds: readonly Build[]): Table {
  const paths = Object.keys(
    (series.toJSON() as Record<string, object>)[`botyard: pages with ${sizes[1]}`] ?? {},
  );
  const kinds = builds.flatMap(({ name }) => [`${name}: pages with`, `${name}: pages again with`]);
  return {
    title: `Console: each page with ${sizes[1]} chats, ms`,
    head: ['page', ...kinds.map((kind) => kind.replace(': pages', '').replace(' with', ''))],
    rows: paths.map((path) => [path, ...kinds.map((kind) => spread(series.of(`${kind} ${sizes[1]}`, path)))]),
    notes: [],
  };
}

async function startBuild(bench: Bench, name: string, checkout?: string): Promise<Build> {
  bench.say(checkout ? `starting all processes of ${checkout}` : 'starting all processes');
  const installation = await startInstallation(bench, {
    dataDir: `${bench.dir}/installation-${name}`,
    checkout,
    env: { CONSOLE_BUILD: 'true', TOOL_INTEGRATIONS_ENABLED: 'true' },
  });
  const { demoBot, sandboxUrl } = (await installation.launcher.readRun()) ?? {};
  if (!demoBot || !sandboxUrl) throw new Error(`${name} has no demo bot`);
  await eventually(
    'the console is built',
    async () => (await (await fetch(installation.gatewayUrl)).text()).includes('/console/assets/'),
    { timeoutMs: builtWithinMs },
  );
  const build = { name, installation, demoBot, sandboxUrl };
  // The writers' chats are the same in every round.
  await write(build, writers);
  return build;
}

/** The address of a chat whose person is among those who write. */
async function openChatOf({ installation, demoBot }: Build): Promise<string> {
  const chat = await eventually(
    'there is a chat of a writer',
    async () => {
      const path = '/api/interactions/chats?q=Writer&limit=1';
      const answer = await fetch(`${installation.gatewayUrl}${path}`, {
        headers: { 'x-tenant-id': demoBot.tenantId },
      });
      return ((await answer.json()) as { chatId: string }[])[0];
    },
    { timeoutMs: answeredWithinMs },
  );
  return `/inbox/${chat.chatId}`;
}

/** Writes messages at their pace. Returns how many were taken. */
async function write({ sandboxUrl }: Build, messages: number): Promise<number> {
  const sending: Promise<number>[] = [];
  const begin = performance.now();
  for (let n = 0; n < messages; n += 1) {
    await pause(Math.max(0, begin + (n * 1000) / messagesPerSecond - performance.now()));
    const writer = n % writers;
    const address = `${sandboxUrl}/api/bots/botyard_demo_bot/chats/${700_001_000 + writer}/messages`;
    const body = JSON.stringify({ text: `Message ${n} of a writer`, name: `Writer ${writer}` });
    const headers = { 'content-type': 'application/json' };
    sending.push(fetch(address, { method: 'POST', headers, body }).then(({ status }) => status));
  }
  return (await Promise.all(sending)).filter((status) => status === 201).length;
}
