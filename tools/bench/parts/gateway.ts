import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { startFakeIdp } from '@botyard/shared/testing/fake-idp';
import { freePorts } from '../../embedded/free-port.ts';
import { startServiceProcess } from '../house/service-process.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Loop } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import { type Bench, type Part, profileEnv } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const connections = 32;
const users = 200;
const path = '/api/bots/tenants/01a1fd3c-aecb-7151-af37-938fcd497821';

interface Variant {
  name: string;
  port: number;
  pids: Groups;
}

/** A `GET` with a session token, through the gateway and around it. */
export const gateway: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  say('starting the gateways');
  const { variants, issuer } = await startVariants(bench);
  const headers = await Promise.all(Array.from({ length: users }, (_, index) => bearer(issuer, index)));
  const series = new Series();
  let [asked, answered] = [0, 0];
  const run = async ({ port, pids }: Variant, loop: Loop, sent = headers) => {
    const before = cpuSeconds(pids);
    const result = await load.load({ port, requests: { kind: 'get', path, users: sent }, loop });
    asked += result.answered;
    answered += result.ok;
    return { ...result, cpu: difference(cpuSeconds(pids), before) };
  };
  for (const variant of variants) await run(variant, closedLoop(connections, 2));
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}`);
    const many = await run(variant, closedLoop(connections, seconds));
    const one = await run(variant, closedLoop(1, Math.min(seconds, 2)));
    const { gateway: own = 0, upstream = 0 } = many.cpu;
    series.add(variant.name, {
      perSecond: many.answered / many.seconds,
      p50Ms: many.p50Ms,
      p99Ms: many.p99Ms,
      aloneP50Ms: one.p50Ms,
      aloneP99Ms: one.p99Ms,
      cpu: (own / many.answered) * 1000,
      upstreamCpu: (upstream / many.answered) * 1000,
    });
  });
  const checks = [
    check('answers with 200', asked, answered),
    ...(await checkRefusals(load, variants, headers)),
  ];
  return { tables: [table(series, variants)], checks, rounds: series };
};

const closedLoop = (count: number, seconds: number): Loop => ({
  kind: 'closed',
  connections: count,
  seconds,
  most: 500_000,
});

type Idp = Awaited<ReturnType<typeof startFakeIdp>>;

async function bearer(idp: Idp, index: number): Promise<Record<string, string>> {
  const token = await idp.sessionToken({ userId: `user_bench_${index}`, expiresInSeconds: 3600 });
  return { authorization: `Bearer ${token}` };
}

async function startVariants(bench: Bench): Promise<{ variants: Variant[]; issuer: Idp }> {
  const { cleanup } = bench;
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const upstream = await startPeer('small-upstream', { cleanup });
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const env = { IDP_ISSUER: idp.issuer, UPSTREAM_URL: upstreamUrl };
  const plain = await startPeer('plain-gateway', { cleanup, env });
  const unkept = await startPeer('plain-gateway', { cleanup, env: { ...env, KEEP_ALIVE: 'false' } });
  const ours = await startOurs(bench, { issuer: idp.issuer, upstreamUrl });
  const around = { upstream: upstream.pid };
  const variants = [
    { name: 'direct', port: upstream.port, pids: around },
    { name: 'plain', port: plain.port, pids: { gateway: plain.pid, ...around } },
    { name: 'plain, no keep-alive', port: unkept.port, pids: { gateway: unkept.pid, ...around } },
    { name: 'botyard', port: ours.port, pids: { gateway: ours.pid, ...around } },
  ];
  return { variants, issuer: idp };
}

async function startOurs(
  bench: Bench,
  { issuer, upstreamUrl }: { issuer: string; upstreamUrl: string },
): Promise<{ port: number; pid: number }> {
  const { signingKey } = await generateIdentityKeys();
  const [port = 0, internalPort = 0] = await freePorts(2);
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'development',
    PORT: String(port),
    IDENTITY_SIGNING_KEY: signingKey,
    IDP_ISSUER: issuer,
    TENANCY_URL: upstreamUrl,
    KEYS_URL: upstreamUrl,
    USAGE_URL: upstreamUrl,
    WEBHOOKS_URL: upstreamUrl,
    AGENTS_URL: upstreamUrl,
    ...profileEnv(bench),
  };
  return {
    port,
    pid: await startServiceProcess('gateway', { env, port: internalPort, cleanup: bench.cleanup }),
  };
}

/** A gateway that lets everything through would be the fastest. */
async function checkRefusals(
  load: LoadProcess,
  variants: readonly Variant[],
  [first = {}]: readonly Record<string, string>[],
) {
  const forged = { authorization: `${first.authorization?.slice(0, -8)}AAAAAAAA` };
  const loop = { ...closedLoop(1, 5), most: 2 } as Loop;
  const results = variants
    .filter(({ name }) => name !== 'direct')
    .map(async ({ name, port }) => {
      const { statuses } = await load.load({
        port,
        requests: { kind: 'get', path, users: [forged, {}] },
        loop,
      });
      return check(`${name} refuses a forged and a missing token`, 2, statuses[401] ?? 0);
    });
  return await Promise.all(results);
}

function table(series: Series, variants: readonly Variant[]): Table {
  return {
    title: `Gateway: GET with an RS256 session token (${connections} connections, ${users} users)`,
    head: [
      'build',
      '1/s',
      'p50 ms',
      'p99 ms',
      'p50 alone',
      'p99 alone',
      'CPU-s/1k',
      'of plain',
      'of no keep-alive',
      'upstream CPU-s/1k',
    ],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'perSecond')),
      spread(series.of(name, 'p50Ms')),
      spread(series.of(name, 'p99Ms')),
      spread(series.of(name, 'aloneP50Ms')),
      spread(series.of(name, 'aloneP99Ms')),
      spread(series.of(name, 'cpu')),
      times(series.ratio(name, 'plain', 'cpu')),
      times(series.ratio(name, 'plain, no keep-alive', 'cpu')),
      spread(series.of(name, 'upstreamCpu')),
    ]),
    notes: [
      'direct: straight to the upstream. plain: express, http-proxy-middleware with its own (keep-alive) agent, jose with createRemoteJWKSet.',
      "CPU is the gateway's own.",
    ],
  };
}
