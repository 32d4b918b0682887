import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBots } from '../house/bots.ts';
import { startHouse } from '../house/house.ts';
import { Listeners, makeAdmins } from '../house/listeners.ts';
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
  const dataDir = join(bench.dir, 'house');
  const env = {
    MESSENGER_API_URL: messengerUrl,
    PRIVATE_LLM_BASE_URL: modelUrl,
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
    ...profileEnv(bench),
  };
  const house = await startHouse({ dataDir, cleanup, env });
  const targets = await createBots(house.gatewayUrl, { tenants: 1, botsPerTenant: 8 });
  const people = await makeAdmins(house, { tenants: 1, ofEach: listeners / ofEach });
  const series = new Series();
  const heard: number[] = [];
  let repeated = 0;
  const say100 = () =>
    load.converse({ port: house.gatewayPort, targets, chatsPerTarget: 50, inFlight: 4, messages });
  await say100();
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}/${rounds}: no listeners`);
    const quiet = await measure(house.pids, say100);
    const before = pssMib(house.pids);
    say(`round ${round}/${rounds}: ${listeners} listen`);
    const crowd = new Listeners(house.gatewayUrl, people);
    const opening = await measure(house.pids, () => crowd.open(ofEach));
    const memory = difference(pssMib(house.pids), before);
    const resting = await measure(house.pids, () => pause(restSeconds * 1000));
    const heardBefore = crowd.events;
    const beside = await measure(house.pids, async () => {
      await say100();
      await crowd.untilHeard(heardBefore + 2 * messages * listeners);
    });
    heard.push(crowd.events - heardBefore);
    repeated += crowd.repeated;
    crowd.close();
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
