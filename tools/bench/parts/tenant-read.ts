import { startFakeIdp } from '@botyard/testing/fake-idp';
import { startTenancySetup, type TenancySetup, tenancySizes } from '../installation/tenancy-setup.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Loop } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';
import { type Check, check, spread, type Table, times } from '../report/table.ts';

const connections = 32;
const people = 200;
const beside = 'botyard beside';

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  headersOf: (idpUserId: string) => Promise<Record<string, string>>;
}

/** Measures `GET` of a tenant with its bots. It reads the caller, their membership, the tenant and its bots. */
export const tenantRead: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const setup = await startTenancySetup(bench, people);
  const variants = await startVariants(bench, setup);
  const series = new Series();
  let [asked, answered] = [0, 0];
  const run = async ({ port, pids, headersOf }: Variant, loop: Loop) => {
    // Identity headers of the gateway expire after a minute.
    const targets = await Promise.all(
      setup.memberships.map(async (one) => ({ path: pathOf(one), headers: await headersOf(one.idpUserId) })),
    );
    const before = cpuSeconds(pids);
    const result = await load.load({ port, requests: { kind: 'get', targets }, loop });
    asked += result.answered;
    answered += result.ok;
    return { ...result, cpu: difference(cpuSeconds(pids), before) };
  };
  const checks = (await Promise.all(variants.map((variant) => checkAnswers(variant, setup)))).flat();
  for (const variant of variants) await run(variant, closedLoop(connections, 2));
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}`);
    const many = await run(variant, closedLoop(connections, seconds));
    const one = await run(variant, closedLoop(1, Math.min(seconds, 2)));
    const { service = 0, database = 0 } = many.cpu;
    series.add(variant.name, {
      perSecond: many.answered / many.seconds,
      p50Ms: many.p50Ms,
      p99Ms: many.p99Ms,
      aloneP50Ms: one.p50Ms,
      aloneP99Ms: one.p99Ms,
      cpu: (service / many.answered) * 1000,
      databaseCpu: (database / many.answered) * 1000,
    });
  });
  const ratio = (metric: string) => series.ratio('botyard', 'plain', metric);
  const aims = [
    atMost(0.35, {
      id: 'T1',
      what: "a tenant's read, service CPU of express + jose + pg",
      measured: ratio('cpu'),
    }),
    atMost(0.6, {
      id: 'T1',
      what: "a tenant's read, database CPU of the same",
      measured: ratio('databaseCpu'),
    }),
  ];
  checks.push(check('answers with 200', asked, answered));
  return { tables: [table(series, variants)], checks, aims, rounds: series };
};

const pathOf = ({ tenantId }: { tenantId: string }) => `/api/bots/tenants/${tenantId}`;

const closedLoop = (count: number, seconds: number): Loop => ({
  kind: 'closed',
  connections: count,
  seconds,
  most: 500_000,
});

async function startVariants({ cleanup }: Bench, setup: TenancySetup): Promise<Variant[]> {
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const tokens = new Map<string, string>();
  const bearerOf = async (idpUserId: string) => {
    const token =
      tokens.get(idpUserId) ?? (await idp.sessionToken({ userId: idpUserId, expiresInSeconds: 7200 }));
    tokens.set(idpUserId, token);
    return { authorization: `Bearer ${token}` };
  };
  const plain = async (name: string, prepared: boolean): Promise<Variant> => {
    const env = {
      IDP_ISSUER: idp.issuer,
      DATABASE_URL: setup.ownerUrl,
      PREPARED: String(prepared),
    };
    const { pid, port } = await startPeer('plain-tenant-read', { cleanup, env });
    return { name, port, pids: { service: pid, database: setup.postgresPid }, headersOf: bearerOf };
  };
  const own = (name: string, { port, pid }: { port: number; pid: number }): Variant => ({
    name,
    port,
    pids: { service: pid, database: setup.postgresPid },
    headersOf: setup.identityHeaders,
  });
  return [
    await plain('plain', false),
    await plain('plain, prepared', true),
    ...(setup.beside ? [own(beside, setup.beside)] : []),
    own('botyard', setup),
  ];
}

/** Checks the responses, because one without bots or without an access check would be the fastest. */
async function checkAnswers({ name, port, headersOf }: Variant, setup: TenancySetup): Promise<Check[]> {
  const [one, other] = setup.memberships;
  if (!one || !other) throw new Error('there are no memberships');
  const own = await headersOf(one.idpUserId);
  const [[header = '', value = '']] = Object.entries(own) as [[string, string]];
  const get = (headers: Record<string, string>, tenantId: string) =>
    fetch(`http://127.0.0.1:${port}${pathOf({ tenantId })}`, { headers });
  const { tenantId, bots = [] } = (await (await get(own, one.tenantId)).json()) as {
    tenantId?: string;
    bots?: unknown[];
  };
  const foreign = await get(own, other.tenantId);
  const forged = await get({ [header]: `${value.slice(0, -8)}AAAAAAAA` }, one.tenantId);
  const missing = await get({}, one.tenantId);
  return [
    check(
      `${name}: bots of the tenant`,
      tenancySizes.botsOfEach,
      tenantId === one.tenantId ? bots.length : 0,
    ),
    {
      what: `${name} refuses a stranger, a forged and a missing token`,
      isRight: [403, 404].includes(foreign.status) && forged.status === 401 && missing.status === 401,
      detail: `found ${foreign.status}, ${forged.status}, ${missing.status}`,
    },
  ];
}

function table(series: Series, variants: readonly Variant[]): Table {
  const { tenants, membersOfEach, botsOfEach } = tenancySizes;
  return {
    title: `Tenant read: GET of a tenant with its ${botsOfEach} bots (${connections} connections, ${tenants * membersOfEach} memberships)`,
    head: [
      'build',
      '1/s',
      'p50 ms',
      'p99 ms',
      'p50 alone',
      'p99 alone',
      'service CPU-s/1k',
      'of plain',
      'of beside',
      'database CPU-s/1k',
      'of plain',
      'of beside',
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
      times(series.ratio(name, beside, 'cpu')),
      spread(series.of(name, 'databaseCpu')),
      times(series.ratio(name, 'plain', 'databaseCpu')),
      times(series.ratio(name, beside, 'databaseCpu')),
    ]),
    notes: [
      'plain: express, jose with createRemoteJWKSet, pg with three queries, as the owner, so without row-level security. prepared: the queries are.',
      'botyard: our tenancy service with row-level security; the identity is signed beforehand, as the gateway does it once for many requests.',
    ],
  };
}
