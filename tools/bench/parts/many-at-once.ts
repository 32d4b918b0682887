import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { createBots } from '../installation/bots.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { Listeners, makeAdmins, type Session } from '../installation/listeners.ts';
import { answerChecks } from '../installation/messaging.ts';
import { summarize } from '../load/latencies.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Latencies, WebhookTarget } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups, pssMib, sumOf } from '../measure/processes.ts';
import type { Part } from '../part.ts';
import { check, figure, type Table } from '../report/table.ts';

const tenants = 50;
const sessionsOfEach = 20;
/** The load at 100 percent. */
const usual = { requestsPerSecond: 200, messagesPerSecond: 50 };
/** The maximum number of writers and connections that wait for an answer at the same time. */
const maxWriters = 200;
const maxConnections = 200;
const samples = 60;

const paths = [
  '/api/current-user',
  '/api/bots',
  '/api/interactions/chats?limit=20',
  '/api/definitions/agents',
];

interface Sample {
  minute: number;
  mib: Readonly<Record<string, number>>;
  files: Readonly<Record<string, number>>;
}

/**
 * Measures 1,000 listeners and `--percent` of 200 requests and 50 messages a second for `--minutes`, together with a
 * listener that never reads.
 */
export const manyAtOnce: Part = async (bench) => {
  const { cleanup, minutes, percent, say } = bench;
  const rates = {
    requestsPerSecond: (usual.requestsPerSecond * percent) / 100,
    messagesPerSecond: (usual.messagesPerSecond * percent) / 100,
  };
  const load = await LoadProcess.start(cleanup);
  // Two processes, so that the two load generators don't delay each other.
  const reading = await LoadProcess.start(cleanup);
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = {
    MESSENGER_API_URL: messengerUrl,
    PRIVATE_LLM_BASE_URL: modelUrl,
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
  };
  // The sandbox's identity provider issues the sessions.
  const installation = await startInstallation({ dataDir: join(bench.dir, 'installation'), cleanup, env });
  const targets = await createBots(installation.gatewayUrl, { tenants, botsPerTenant: 1 });
  say(`making ${tenants * sessionsOfEach} people`);
  const sessions = await makeAdmins(installation, { tenants, ofEach: sessionsOfEach });
  const listeners = new Listeners(installation.gatewayUrl, sessions);
  say('opening the streams');
  await listeners.open();
  const slow = openAndNeverRead(installation.gatewayPort, sessions[0]!);
  const before = cpuSeconds(installation.pids);
  say(`running for ${minutes} minutes`);
  const watch = watchFlatness(installation.pids, minutes);
  const { written, asked } = await bothLoads(
    { load, reading },
    { installation, targets, sessions, minutes, rates },
  );
  const found = await watch.end();
  const took = found.at(-1)!.minute * 60;
  const cpu = sumOf(difference(cpuSeconds(installation.pids), before)) / took;
  await listeners.untilHeard(2 * written.answered * sessionsOfEach);
  const isCutOff = slow.destroyed;
  listeners.close();
  slow.destroy();
  return {
    tables: [
      {
        title: `Many at once: ${tenants * sessionsOfEach} listeners, ${rates.requestsPerSecond} requests and ${rates.messagesPerSecond} messages a second, ${minutes} minutes`,
        head: ['what', 'count', 'a second', 'p50 ms', 'p99 ms', 'longest ms'],
        rows: [
          latencyRow('requests', { ...asked, count: asked.answered }),
          latencyRow('messages, until the answer', { ...written, count: written.answered }),
          latencyRow('events, from the message stored', {
            ...summarize(listeners.delaysMs),
            count: listeners.events,
            seconds: took,
          }),
        ],
        notes: [
          `All processes took ${figure(cpu)} of the processors' seconds in one. Streams were opened again ${listeners.continued} times.`,
          `Events about something else, not counted above: ${JSON.stringify(listeners.others)}`,
          `The stream that is never read was ${isCutOff ? 'cut off' : 'not cut off: what waited fitted into buffers'}.`,
          `Answers of requests by status: ${JSON.stringify(asked.statuses)}`,
        ],
      },
      flatTable('PSS in MiB', found, (sample) => sample.mib),
      flatTable('open files and connections', found, (sample) => sample.files),
    ],
    checks: [
      ...answerChecks('many at once', [written]),
      check("requests whose answer isn't 200", 0, asked.answered - asked.ok),
      ...eventChecks(listeners, 2 * written.answered * sessionsOfEach),
    ],
    rounds: found,
  };
};

const eventChecks = ({ events, repeated, others }: Listeners, wanted: number) => [
  check('events of messages heard', wanted, events),
  check('events of messages told again', 0, repeated),
  check('streams told that events are missing', 0, others.reset ?? 0),
];

interface LoadSetup {
  installation: Installation;
  targets: readonly WebhookTarget[];
  sessions: readonly Session[];
  minutes: number;
  rates: typeof usual;
}

/** Runs the writers and the readers for this many minutes. */
async function bothLoads(
  { load, reading }: { load: LoadProcess; reading: LoadProcess },
  { installation, targets, sessions, minutes, rates: { requestsPerSecond, messagesPerSecond } }: LoadSetup,
) {
  const port = installation.gatewayPort;
  const seconds = minutes * 60;
  const asOne = (session: Session) => paths.map((path) => ({ path, headers: { ...session } }));
  const [written, asked] = await Promise.all([
    load.converse({
      port,
      targets,
      chatsPerTarget: 20,
      inFlight: maxWriters,
      messages: Math.ceil(messagesPerSecond * seconds),
      perSecond: messagesPerSecond,
    }),
    reading.load({
      port,
      requests: { kind: 'get', targets: sessions.flatMap(asOne) },
      loop: { kind: 'open', perSecond: requestsPerSecond, seconds, maxConnections },
    }),
  ]);
  return { written, asked };
}

/** Samples memory and open files periodically. */
function watchFlatness(pids: Groups, minutes: number): { end(): Promise<readonly Sample[]> } {
  const found: Sample[] = [];
  const beganAt = performance.now();
  const over = new AbortController();
  const look = () => {
    const minute = (performance.now() - beganAt) / 60_000;
    found.push({ minute, mib: pssMib(pids), files: openFiles(pids) });
  };
  const looking = (async () => {
    for await (const _ of setInterval((minutes * 60_000) / samples, undefined, { signal: over.signal }))
      look();
  })().catch(() => undefined);
  look();
  return {
    end: async () => {
      over.abort();
      await looking;
      look();
      return found;
    },
  };
}

const latencyRow = (
  what: string,
  { count, seconds, p50Ms, p99Ms, maxMs }: Latencies & { count: number; seconds: number },
): string[] => [what, String(count), figure(count / seconds), figure(p50Ms), figure(p99Ms), figure(maxMs)];

/** Opens a stream and never reads it. */
function openAndNeverRead(port: number, session: Session) {
  const socket = connect(port, '127.0.0.1', () => {
    const headers = Object.entries(session).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers.join('')}\r\n`);
    socket.pause();
  });
  socket.on('error', () => {});
  return socket;
}

/** Counts the open files of each process, without its children. */
const openFiles = (pids: Groups): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, readdirSync(`/proc/${pid}/fd`).length] as const),
  );

function flatTable(
  what: string,
  found: readonly Sample[],
  read: (sample: Sample) => Readonly<Record<string, number>>,
): Table {
  const at = (part: number) => found[Math.round(part * (found.length - 1))];
  const shares = [0, 0.25, 0.5, 0.75, 1];
  const names = Object.keys(found[0] ? read(found[0]) : {});
  const total = (sample: Sample | undefined) => (sample ? sumOf(read(sample)) : Number.NaN);
  return {
    title: `Many at once: ${what}`,
    head: ['process', 'at the beginning', 'at a quarter', 'at half', 'at three quarters', 'at the end'],
    rows: [
      ...names.map((name) => [
        name,
        ...shares.map((share) => {
          const sample = at(share);
          return figure(sample && read(sample)[name]);
        }),
      ]),
      ['all', ...shares.map((share) => figure(total(at(share))))],
    ],
    notes: [],
  };
}
