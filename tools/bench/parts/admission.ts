import type { AdmissionSetup } from '../installation/admission-setup.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { LoadResult, Loop } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Part, PartResult } from '../part.ts';
import { type Aim, atLeast, atMost } from '../report/aims.ts';
import { type Check, check, spread, type Table, times } from '../report/table.ts';
import { type Build, names, startOurs, startTheirs } from './admission-builds.ts';

const connections = 32;
const perSecond = 500;
const chats = 2000;

/** Measures `POST /webhooks/messenger/:botId` until the 200. */
export const admission: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const notes: string[] = [];
  const theirs = await startTheirs(bench, notes);
  const { setup, builds: ours } = await startOurs(bench, load);
  const builds = [...theirs, ...ours];
  const series = new Series();
  const run = async (build: Build, loop: Loop) => {
    const requests = { kind: 'update' as const, targets: await build.targets(), chats };
    const before = cpuSeconds(build.pids);
    const result = await load.load({ port: build.port, requests, loop });
    const begin = performance.now();
    await build.settled();
    build.accepted += result.ok;
    return {
      ...result,
      cpu: difference(cpuSeconds(build.pids), before),
      drainMs: performance.now() - begin,
    };
  };
  const refusals = await Promise.all(builds.map(checkRefusal));
  for (const build of builds) await run(build, closedLoop(2));
  await interleave(builds, rounds, async (build, round) => {
    say(`round ${round + 1}/${rounds}: ${build.name}, ${connections} connections`);
    const closed = await run(build, closedLoop(seconds));
    series.add(build.name, { ...figures('closed', closed), drainMs: closed.drainMs });
    if (build.isSlow) return;
    say(`round ${round + 1}/${rounds}: ${build.name}, ${perSecond}/s`);
    const open = await run(build, { kind: 'open', perSecond, seconds, maxConnections: 400 });
    series.add(build.name, figures('open', open));
  });
  const checks = [...refusals.flat(), ...(await checkCounts(setup, builds))];
  return { tables: [table(series, builds, notes)], checks, aims: aims(series), rounds: series };
};

const closedLoop = (seconds: number): Loop => ({ kind: 'closed', connections, seconds, most: 100_000 });

type Phase = LoadResult & { cpu: Groups };

function figures(name: string, { cpu, answered, ok, seconds, p50Ms, p99Ms }: Phase): Record<string, number> {
  const perThousand = (value: number) => (value / answered) * 1000;
  const byProcess = Object.entries(cpu).map(([group, value]) => [`${name}Cpu:${group}`, perThousand(value)]);
  return {
    [`${name}PerSecond`]: answered / seconds,
    [`${name}P50Ms`]: p50Ms,
    [`${name}P99Ms`]: p99Ms,
    [`${name}Cpu`]: perThousand(sumOf(cpu)),
    [`${name}Refused`]: answered - ok,
    ...Object.fromEntries(byProcess),
  };
}

/** Checks that a wrong secret is rejected, because a server that accepts everything would be the fastest. */
async function checkRefusal({ name, port, targets, count }: Build): Promise<Check[]> {
  const [target] = await targets();
  if (name === 'bare' || !target) return [];
  const before = await count?.();
  const headers = {
    ...target.headers,
    'x-telegram-bot-api-secret-token': 'wrong',
    'content-type': 'application/json',
  };
  const body = JSON.stringify(updateOf(1));
  const { status } = await fetch(`http://127.0.0.1:${port}${target.path}`, { method: 'POST', headers, body });
  const kept = ((await count?.()) ?? 0) - (before ?? 0);
  const isRight = [401, 403].includes(status) && kept === 0;
  return [{ what: `${name} refuses a wrong secret`, isRight, detail: `found ${status}, ${kept} kept` }];
}

const updateOf = (update_id: number) => {
  const person = { id: 5_500_000_001, first_name: 'Anna' };
  const chat = { ...person, type: 'private' };
  return {
    update_id,
    message: { message_id: 1, from: { ...person, is_bot: false }, chat, date: 1, text: 'again' },
  };
};

/** Returns the number of stored copies of an update that is sent twice. */
async function keptOfRepeated({ port, targets, count }: Build, kept: () => Promise<number>): Promise<number> {
  const [target] = await targets();
  const before = await (count ?? kept)();
  const headers = { ...target?.headers, 'content-type': 'application/json' };
  for (let times = 0; times < 2; times += 1) {
    const body = JSON.stringify(updateOf(7));
    await (await fetch(`http://127.0.0.1:${port}${target?.path}`, { method: 'POST', headers, body })).text();
  }
  return (await (count ?? kept)()) - before;
}

async function checkCounts(setup: AdmissionSetup, builds: readonly Build[]): Promise<PartResult['checks']> {
  const kept = await setup.count();
  const accepted = builds
    .filter(({ name }) => name.startsWith(names.ours))
    .reduce((sum, build) => sum + build.accepted, 0);
  const checks = [
    check('deliveries kept for each 200', accepted, kept.deliveries),
    check('places given in conversations', accepted, kept.numbered),
    check('events in the outbox', accepted, kept.events),
    check('events that never left the outbox', 0, kept.unpublished),
  ];
  for (const build of builds)
    if (build.count)
      checks.push(check(`${build.name}: kept for each 200`, build.accepted, await build.count()));
  const deliveries = async () => (await setup.count()).deliveries;
  for (const build of builds.filter(({ isDeduping, name }) => isDeduping && name !== names.throughGateway))
    checks.push(
      check(`${build.name}: kept of one that came twice`, 1, await keptOfRepeated(build, deliveries)),
    );
  return checks;
}

const where = { [names.ours]: '', [names.throughGateway]: ' through the gateway' };

function aims(series: Series): Aim[] {
  const builds = [names.ours, names.throughGateway] as const;
  return builds.flatMap((name) => [
    atMost(1, {
      id: 'W1',
      what: `admission${where[name]}, CPU of express + JetStream`,
      measured: series.ratio(name, names.plain, 'closedCpu'),
    }),
    atLeast(100, {
      id: 'W2',
      what: `admission${where[name]}, requests/s of n8n's webhook`,
      measured: series.ratio(name, names.n8n, 'closedPerSecond'),
    }),
  ]);
}

function table(series: Series, builds: readonly Build[], notes: readonly string[]): Table {
  return {
    title: `Admission: POST /webhooks/messenger/:botId (${connections} connections; ${perSecond}/s)`,
    head: [
      'build',
      '1/s',
      'of n8n',
      'p50 ms',
      'p99 ms',
      'CPU-s/1k',
      'of plain',
      'of grammY',
      'by process',
      `p50 at ${perSecond}/s`,
      `p99 at ${perSecond}/s`,
      `CPU-s/1k at ${perSecond}/s`,
      'of plain',
    ],
    rows: builds.map(({ name, pids }) => [
      name,
      spread(series.of(name, 'closedPerSecond')),
      times(series.ratio(name, names.n8n, 'closedPerSecond')),
      spread(series.of(name, 'closedP50Ms')),
      spread(series.of(name, 'closedP99Ms')),
      spread(series.of(name, 'closedCpu')),
      times(series.ratio(name, names.plain, 'closedCpu')),
      times(series.ratio(name, names.grammy, 'closedCpu')),
      Object.keys(pids)
        .map((group) => `${group} ${series.of(name, `closedCpu:${group}`)?.median.toFixed(3)}`)
        .join(' + '),
      spread(series.of(name, 'openP50Ms')),
      spread(series.of(name, 'openP99Ms')),
      spread(series.of(name, 'openCpu')),
      times(series.ratio(name, names.plain, 'openCpu')),
    ]),
    notes: [
      'bare: node:http, reads the body, answers 200. plain: express, express.json, express-rate-limit in memory, timingSafeEqual,',
      'a JetStream publish awaited, fsync for every ack. CPU is read when the outbox is empty: work put off counts.',
      ...notes,
    ],
  };
}
