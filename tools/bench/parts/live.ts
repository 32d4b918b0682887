import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBots } from '../installation/bots.ts';
import { startInstallation } from '../installation/installation.ts';
import { Listeners, makeAdmins } from '../installation/listeners.ts';
import { LoadProcess } from '../load/load-process.ts';
import { cpuSeconds, difference, pssMib } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import { type Part, profileEnv } from '../part.ts';
import { check, spread, type Table } from '../report/table.ts';

const listeners = 1000;
const ofEach = 20;
const messages = 100;
const restSeconds = 20;
const shown = ['gateway', 'agents', 'postgres', 'nats'];

/**
 * Measures `GET /api/events` with 1,000 listeners of one tenant through the gateway, at rest and per message.
 */
export const live: Part = async (bench) => {
  const { cleanup, rounds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { messengerUrl, modelUrl } = await load.platforms();
  const dataDir = join(bench.dir, 'installation');
  const env = {
    MESSENGER_API_URL: messengerUrl,
    PRIVATE_LLM_BASE_URL: modelUrl,
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
    ...profileEnv(bench),
  };
  const installation = await startInstallation({ dataDir, cleanup, env });
  const targets = await createBots(installation.gatewayUrl, { tenants: 1, botsPerTenant: 8 });
  const people = await makeAdmins(installation, { tenants: 1, ofEach: listeners / ofEach });
  const series = new Series();
  const heard: number[] = [];
  let repeated = 0;
  const say100 = () =>
    load.converse({ port: installation.gatewayPort, targets, chatsPerTarget: 50, inFlight: 4, messages });
  await say100();
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}/${rounds}: no listeners`);
    const quiet = await measure(installation.pids, say100);
    const before = pssMib(installation.pids);
    say(`round ${round}/${rounds}: ${listeners} listen`);
    const streams = new Listeners(installation.gatewayUrl, people);
    const opening = await measure(installation.pids, () => streams.open(ofEach));
    const memory = difference(pssMib(installation.pids), before);
    const resting = await measure(installation.pids, () => pause(restSeconds * 1000));
    const heardBefore = streams.events;
    const beside = await measure(installation.pids, async () => {
      await say100();
      await streams.untilHeard(heardBefore + 2 * messages * listeners);
    });
    heard.push(streams.events - heardBefore);
    repeated += streams.repeated;
    streams.close();
    for (const name of shown) {
      series.add(name, {
        mib: memory[name] ?? Number.NaN,
        openingMs: ((opening[name] ?? 0) / listeners) * 1000,
        restingPercent: ((resting[name] ?? 0) / restSeconds) * 100,
        quietMs: ((quiet[name] ?? 0) / messages) * 1000,
        besideMs: ((beside[name] ?? 0) / messages) * 1000,
      });
    }
  }
  const wanted = 2 * messages * listeners * rounds;
  const found = heard.reduce((sum, one) => sum + one, 0);
  return {
    tables: [table(series)],
    checks: [check('events heard', wanted, found), check('events told again', 0, repeated)],
    rounds: series,
  };
};

async function measure(pids: Parameters<typeof cpuSeconds>[0], work: () => Promise<unknown>) {
  const before = cpuSeconds(pids);
  await work();
  return difference(cpuSeconds(pids), before);
}

function table(series: Series): Table {
  const row = (name: string) => [
    name,
    ...['mib', 'openingMs', 'restingPercent', 'quietMs', 'besideMs'].map((metric) =>
      spread(series.of(name, metric)),
    ),
  ];
  return {
    title: `Live: ${listeners} listeners of one tenant at GET /api/events, through the gateway`,
    head: [
      'process',
      'MiB more',
      'CPU ms to open one',
      'CPU % at rest',
      'CPU ms a message',
      'the same, heard by all',
    ],
    rows: shown.map(row),
    notes: [
      `A message is two events for each listener: that it came, and its answer. ${listeners / ofEach} people hold ${ofEach} streams each.`,
      `At rest: ${restSeconds} s with nothing but heartbeats and what the services do anyway.`,
    ],
  };
}
