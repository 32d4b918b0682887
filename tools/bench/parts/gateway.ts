import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { startFakeIdp } from '@botyard/testing/fake-idp';
import { freePorts } from '../../embedded/free-port.ts';
import { startServiceProcess } from '../installation/service-process.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Loop, Target } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import { type Bench, type Part, profileEnv } from '../part.ts';
import { type GatewayWiring, startFastifyGateway } from '../peers/fastify/start.ts';
import { orLeftOut } from '../peers/fetch/left-out.ts';
import { startHaproxy } from '../peers/haproxy/start.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const connections = 32;
const users = 200;
const path = '/api/bots/tenants/01a1fd3c-aecb-7151-af37-938fcd497821';

interface Variant {
  name: string;
  port: number;
  pids: Groups;
}

/** Measures a `GET` with a session token, through the gateway and directly at the upstream. */
export const gateway: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  say('starting the gateways');
  const { variants, issuer, notes } = await startVariants(bench);
  const targets = await Promise.all(Array.from({ length: users }, (_, index) => bearer(issuer, index)));
  const series = new Series();
  let [asked, answered] = [0, 0];
  const run = async ({ port, pids }: Variant, loop: Loop, sent = targets) => {
    const before = cpuSeconds(pids);
    const result = await load.load({ port, requests: { kind: 'get', targets: sent }, loop });
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
    ...(await checkRefusals(load, variants, [...targets.slice(0, 1), await expired(issuer)])),
  ];
  const cpuOf = (reference: string) => series.ratio('botyard', reference, 'cpu');
  const aims = [
    atMost(0.45, {
      id: 'G1',
      what: 'gateway, CPU of express + http-proxy-middleware + jose (keep-alive)',
      measured: cpuOf('plain'),
    }),
    atMost(0.7, {
      id: 'G1',
      what: 'gateway, CPU of fastify with its token cache',
      measured: cpuOf(fastifyCached),
    }),
    atMost(1, { id: 'G2', what: 'gateway, CPU of HAProxy `jwt_verify`', measured: cpuOf(haproxy) }),
  ];
  return { tables: [table(series, variants, notes)], checks, aims, rounds: series };
};

const fastifyCached = 'fastify, token cache';
const haproxy = 'HAProxy';
const beside = 'botyard beside';

const closedLoop = (count: number, seconds: number): Loop => ({
  kind: 'closed',
  connections: count,
  seconds,
  most: 500_000,
});

const asTarget = (token: string): Target => ({ path, headers: { authorization: `Bearer ${token}` } });

type Idp = Awaited<ReturnType<typeof startFakeIdp>>;

async function bearer(idp: Idp, index: number): Promise<Target> {
  const token = await idp.sessionToken({ userId: `user_bench_${index}`, expiresInSeconds: 3600 });
  return asTarget(token);
}

async function expired(idp: Idp): Promise<Target> {
  const token = await idp.sessionToken({ userId: 'user_bench_0', expiresInSeconds: -600 });
  return asTarget(token);
}

async function startVariants(bench: Bench): Promise<{ variants: Variant[]; issuer: Idp; notes: string[] }> {
  const { cleanup } = bench;
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const upstream = await startPeer('small-upstream', { cleanup });
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const env = { IDP_ISSUER: idp.issuer, UPSTREAM_URL: upstreamUrl };
  const plain = await startPeer('plain-gateway', { cleanup, env });
  const unkept = await startPeer('plain-gateway', { cleanup, env: { ...env, KEEP_ALIVE: 'false' } });
  const ours = async (checkout?: string) =>
    await startOurs(bench, { issuer: idp.issuer, upstreamUrl, checkout });
  const around = { upstream: upstream.pid };
  const notes: string[] = [];
  const wiring = { issuer: idp.issuer, publicKey: await publicKeyOf(idp), upstreamPort: upstream.port };
  const others = bench.isOwnOnly ? [] : await startOthers(bench, wiring, notes);
  const builds = [
    { name: 'plain', ...plain },
    { name: 'plain, no keep-alive', ...unkept },
    ...others,
    ...(bench.beside ? [{ name: beside, ...(await ours(bench.beside)) }] : []),
    { name: 'botyard', ...(await ours()) },
  ];
  const variants = [
    { name: 'direct', port: upstream.port, pids: around },
    ...builds.map(({ name, port, pid }) => ({ name, port, pids: { gateway: pid, ...around } })),
  ];
  return { variants, issuer: idp, notes };
}

/** Starts the gateways that others would choose, as far as this machine has them. */
async function startOthers(
  bench: Bench,
  wiring: GatewayWiring,
  notes: string[],
): Promise<{ name: string; port: number; pid: number }[]> {
  const fastify = (name: string, hasTokenCache: boolean) =>
    orLeftOut({ name, notes }, async () => ({
      name,
      ...(await startFastifyGateway(bench, wiring, { hasTokenCache })),
    }));
  const proxy = await orLeftOut({ name: haproxy, notes }, async () => ({
    name: haproxy,
    ...(await startHaproxy(bench, wiring)),
  }));
  notes.push(
    ...proxy.map(({ version }) => `HAProxy ${version}: jwt_verify (RS256), issuer and exp, one thread.`),
  );
  return [...(await fastify('fastify', false)), ...(await fastify(fastifyCached, true)), ...proxy];
}

async function publicKeyOf({ jwksUrl }: Idp): Promise<string> {
  const { keys } = (await (await fetch(jwksUrl)).json()) as { keys: JsonWebKey[] };
  const key = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

async function startOurs(
  bench: Bench,
  { issuer, upstreamUrl, checkout }: { issuer: string; upstreamUrl: string; checkout: string | undefined },
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
    pid: await startServiceProcess('gateway', {
      env,
      port: internalPort,
      cleanup: bench.cleanup,
      checkout,
    }),
  };
}

/** Checks that bad tokens are rejected, because a gateway that lets everything through would be the fastest. */
async function checkRefusals(
  load: LoadProcess,
  variants: readonly Variant[],
  [first, old]: readonly Target[],
) {
  if (!first || !old) throw new Error('there are no tokens');
  const forged = asTarget(`${first.headers.authorization?.slice(7, -8)}AAAAAAAA`);
  const refused = [forged, old, { path, headers: {} }];
  const loop = { ...closedLoop(1, 5), most: 3 } as Loop;
  const results = variants
    .filter(({ name }) => name !== 'direct')
    .map(async ({ name, port }) => {
      const { statuses } = await load.load({
        port,
        requests: { kind: 'get', targets: refused },
        loop,
      });
      return check(`${name} refuses a forged, an expired and a missing token`, 3, statuses[401] ?? 0);
    });
  return await Promise.all(results);
}

function table(series: Series, variants: readonly Variant[], notes: readonly string[]): Table {
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
      'of fastify, cache',
      'of HAProxy',
      'of beside',
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
      times(series.ratio(name, fastifyCached, 'cpu')),
      times(series.ratio(name, haproxy, 'cpu')),
      times(series.ratio(name, beside, 'cpu')),
      spread(series.of(name, 'upstreamCpu')),
    ]),
    notes: [
      'direct: straight to the upstream. plain: express, http-proxy-middleware with its own (keep-alive) agent, jose with createRemoteJWKSet.',
      'fastify: @fastify/jwt and @fastify/http-proxy, fast-jwt without and with its cache of verified tokens.',
      ...notes,
      "CPU is the gateway's own.",
    ],
  };
}
