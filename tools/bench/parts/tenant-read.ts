import { startFakeIdp } from '@botyard/testing/fake-idp';
import { type Check, check, seriesTable } from '../../rig/table.ts';
import { startTenancySetup, type TenancySetup, tenancySizes } from '../installation/tenancy-setup.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';
import { beside, connections, latencyColumns, measureReads, type Reader } from './reads.ts';

const people = 200;

type HeadersOf = (idpUserId: string) => Promise<Record<string, string>>;
interface Variant extends Reader {
  headersOf: HeadersOf;
}

/** Measures `GET` of a tenant with its bots. It reads the caller, their membership, the tenant and its bots. */
export const tenantRead: Part = async (bench) => {
  const load = await LoadProcess.start(bench.cleanup);
  const setup = await startTenancySetup(bench, people);
  const variants = await startVariants(bench, setup);
  const checks = (await Promise.all(variants.map((variant) => checkAnswers(variant, setup)))).flat();
  const { series, check: answers } = await measureReads(bench, load, variants);
  const ratio = (group: string) => series.ratio('botyard', 'plain', `manyCpu:${group}`);
  const { tenants, membersOfEach, botsOfEach } = tenancySizes;
  return {
    tables: [
      seriesTable(
        series,
        variants.map(({ name }) => name),
        {
          title: `Tenant read: GET of a tenant with its ${botsOfEach} bots (${connections} connections, ${tenants * membersOfEach} memberships)`,
          first: 'build',
          columns: [
            ...latencyColumns,
            ...(['service', 'database'] as const).flatMap(
              (group) =>
                [
                  [`${group} CPU-s/1k`, `manyCpu:${group}`],
                  ['of plain', `manyCpu:${group}`, 'plain'],
                  ['of beside', `manyCpu:${group}`, beside],
                ] as const,
            ),
          ],
          notes: [
            'plain: express, jose with createRemoteJWKSet, pg with three queries, as the owner, so without row-level security. prepared: the queries are.',
            'botyard: our tenancy service with row-level security; the identity is signed beforehand, as the gateway does it once for many requests.',
          ],
        },
      ),
    ],
    checks: [...checks, answers],
    aims: [
      atMost(0.35, {
        id: 'T1',
        what: "a tenant's read, service CPU of express + jose + pg",
        measured: ratio('service'),
      }),
      atMost(0.6, {
        id: 'T1',
        what: "a tenant's read, database CPU of the same",
        measured: ratio('database'),
      }),
    ],
    rounds: series,
  };
};

const pathOf = ({ tenantId }: { tenantId: string }) => `/api/bots/tenants/${tenantId}`;

async function startVariants({ cleanup }: Bench, setup: TenancySetup): Promise<Variant[]> {
  const idp = await startFakeIdp();
  await cleanup.add(() => idp.close());
  const tokens = new Map<string, Promise<string>>();
  const bearerOf: HeadersOf = async (userId) => {
    const token = tokens.get(userId) ?? idp.sessionToken({ userId, expiresInSeconds: 7200 });
    tokens.set(userId, token);
    return { authorization: `Bearer ${await token}` };
  };
  const variant = (name: string, { port, pid }: { port: number; pid: number }, headersOf: HeadersOf) => ({
    name,
    port,
    pids: { service: pid, database: setup.postgresPid },
    headersOf,
    // Identity headers of the gateway expire after a minute, so each load gets new ones.
    targets: () =>
      Promise.all(
        setup.memberships.map(async (one) => ({
          path: pathOf(one),
          headers: await headersOf(one.idpUserId),
        })),
      ),
  });
  const plain = async (name: string, PREPARED: string) => {
    const env = { IDP_ISSUER: idp.issuer, DATABASE_URL: setup.ownerUrl, PREPARED };
    return variant(name, await startPeer('plain-tenant-read', { cleanup, env }), bearerOf);
  };
  return [
    await plain('plain', 'false'),
    await plain('plain, prepared', 'true'),
    ...(setup.beside ? [variant(beside, setup.beside, setup.identityHeaders)] : []),
    variant('botyard', setup, setup.identityHeaders),
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
