import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { startFakeIdp } from '@botyard/testing/fake-idp';
import { freePorts } from '../../embedded/free-port.ts';
import { startServiceProcess } from '../../rig/service-process.ts';
import { check, seriesTable } from '../../rig/table.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Loop, Target } from '../load/messages.ts';
import { type Bench, type Part, profileEnv } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';
import { beside, closedLoop, connections, latencyColumns, measureReads, type Reader } from './reads.ts';

const users = 200;
const path = '/api/bots/tenants/01a1fd3c-aecb-7151-af37-938fcd497821';
const withoutKeepAlive = 'plain, no keep-alive';

/** Measures a `GET` with a session token, through the gateway and directly at the upstream. */
export const gateway: Part = async (bench) => {
  const { cleanup, say } = bench;
  const load = await LoadProcess.start(cleanup);
  say('starting the gateways');
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const target = async (index: number, expiresInSeconds = 3600): Promise<Target> => {
    const token = await idp.sessionToken({ userId: `user_bench_${index}`, expiresInSeconds });
    return { path, headers: { authorization: `Bearer ${token}` } };
  };
  const targets = await Promise.all(Array.from({ length: users }, (_, index) => target(index)));
  const readers = await startReaders(bench, idp.issuer, targets);
  const { series, check: answers } = await measureReads(bench, load, readers);
  const refusals = await checkRefusals(load, readers, [targets[0]!, await target(0, -600)]);
  return {
    tables: [
      seriesTable(
        series,
        readers.map(({ name }) => name),
        {
          title: `Gateway: GET with an RS256 session token (${connections} connections, ${users} users)`,
          first: 'build',
          columns: [
            ...latencyColumns,
            ['CPU-s/1k', 'manyCpu:gateway'],
            ['of plain', 'manyCpu:gateway', 'plain'],
            ['of no keep-alive', 'manyCpu:gateway', withoutKeepAlive],
            ['of beside', 'manyCpu:gateway', beside],
            ['upstream CPU-s/1k', 'manyCpu:upstream'],
          ],
          notes: [
            'direct: straight to the upstream. plain: express, http-proxy-middleware with its own (keep-alive) agent, jose with createRemoteJWKSet.',
            "CPU is the gateway's own.",
          ],
        },
      ),
    ],
    checks: [answers, ...refusals],
    aims: [
      atMost(0.45, {
        id: 'G1',
        what: 'gateway, CPU of express + http-proxy-middleware + jose (keep-alive)',
        measured: series.ratio('botyard', 'plain', 'manyCpu:gateway'),
      }),
    ],
    rounds: series,
  };
};

async function startReaders(bench: Bench, issuer: string, targets: readonly Target[]): Promise<Reader[]> {
  const { cleanup } = bench;
  const upstream = await startPeer('small-upstream', { cleanup });
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const plain = async (name: string, KEEP_ALIVE: string) => {
    const env = { IDP_ISSUER: issuer, UPSTREAM_URL: upstreamUrl, KEEP_ALIVE };
    return { name, ...(await startPeer('plain-gateway', { cleanup, env })) };
  };
  const own = async (name: string, checkout?: string) => ({
    name,
    ...(await startOwn(bench, { issuer, upstreamUrl, checkout })),
  });
  const gateways = [
    await plain('plain', 'true'),
    await plain(withoutKeepAlive, 'false'),
    ...(bench.beside ? [await own(beside, bench.beside)] : []),
    await own('botyard'),
  ];
  return [
    { name: 'direct', port: upstream.port, pids: { upstream: upstream.pid }, targets: async () => targets },
    ...gateways.map(({ name, port, pid }) => ({
      name,
      port,
      pids: { gateway: pid, upstream: upstream.pid },
      targets: async () => targets,
    })),
  ];
}

async function startOwn(
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
  const { cleanup } = bench;
  return { port, pid: await startServiceProcess('gateway', { env, port: internalPort, cleanup, checkout }) };
}

/** Checks that bad tokens are rejected, because a gateway that lets everything through would be the fastest. */
async function checkRefusals(
  load: LoadProcess,
  readers: readonly Reader[],
  [valid, expired]: readonly [Target, Target],
) {
  const forged = { authorization: `${valid.headers.authorization?.slice(0, -8)}AAAAAAAA` };
  const targets = [{ path, headers: forged }, expired, { path, headers: {} }];
  const loop: Loop = { ...closedLoop(1, 5), most: 3 };
  const results = readers
    .filter(({ name }) => name !== 'direct')
    .map(async ({ name, port }) => {
      const { statuses } = await load.load({ port, requests: { kind: 'get', targets }, loop });
      return check(`${name} refuses a forged, an expired and a missing token`, 3, statuses[401] ?? 0);
    });
  return await Promise.all(results);
}
