import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import { listBots } from '../../../services/tenancy/src/bots/store/bots.ts';
import { getReach } from '../../../services/tenancy/src/callers/store/reach.ts';
import { createPolicyDecisions } from '../../../services/tenancy/src/policies/domain/decisions.ts';
import {
  type AuthorizationSetup,
  sizes,
  startAuthorizationSetup,
} from '../installation/authorization-setup.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { check, spread, type Table, times } from '../report/table.ts';

interface Variant {
  name: string;
  once: (turn: number) => Promise<number>;
}

const roundTrip = 'select 1';
const listing = 'list bots';

/** Measures decisions, compared with a bare round trip to the same Postgres on the same connections. */
export const authorization: Part = async (bench) => {
  const { rounds, seconds, say } = bench;
  say(`writing ${sizes.edges} edges and ${sizes.bots} bots`);
  const setup = await startAuthorizationSetup(bench);
  const variants = variantsOf(setup);
  const series = new Series();
  const counted = { reached: 0, people: 0 };
  for (const { once } of variants) for (let turn = 0; turn < 50; turn += 1) await once(turn);
  await interleave(variants, rounds, async ({ name, once }, round) => {
    say(`round ${round + 1}/${rounds}: ${name}`);
    const samples: number[] = [];
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      const begin = performance.now();
      const found = await once(samples.length);
      samples.push((performance.now() - begin) * 1000);
      if (name === 'walk') {
        counted.people += 1;
        counted.reached += found > 0 ? 1 : 0;
      }
    }
    series.add(name, figures(samples));
  });
  const [listed] = await Promise.all([variants.find(({ name }) => name === listing)?.once(0)]);
  return {
    tables: [table(series, variants)],
    checks: [
      check('people whose walk reached something', counted.people, counted.reached),
      check('bots on a page', 100, listed ?? 0),
    ],
    rounds: series,
  };
};

function variantsOf({ database, tenantId, idpUserIds, adminIdpUserId }: AuthorizationSetup): Variant[] {
  const policies = createPolicyDecisions({ database, log: createLog('bench', 'silent') });
  const reachOf = (idpUserId: string) =>
    withPlatform(database, 'bench', (tx) => getReach(tx, { idpUserId, sessionId: 's', orgId: null }));
  const walk = async (turn: number) => {
    const reach = await reachOf(idpUserIds[turn % idpUserIds.length] ?? '');
    return (reach?.bots.length ?? 0) + (reach?.roles.length ?? 0);
  };
  const decide = async (turn: number) => {
    const idpUserId = idpUserIds[turn % idpUserIds.length] ?? '';
    const refusals = await policies.decideAccess({
      caller: { userId: idpUserId, idpUserId, isOperator: false },
      action: 'manage',
      places: [{ tenantId, botId: null, relation: 'admin' }],
      request: { address: '192.0.2.1', router: 'keys', method: 'GET' },
    });
    return 1 - refusals.length;
  };
  return [
    { name: roundTrip, once: () => bareRoundTrip(database) },
    { name: 'walk', once: walk },
    { name: 'policies', once: decide },
    { name: 'walk and policies', once: async (turn) => (await walk(turn)) + (await decide(turn)) },
    {
      name: listing,
      once: async () => {
        const reach = await reachOf(adminIdpUserId);
        const tenantIds = (reach?.roles ?? []).map((role) => role.tenantId);
        return Math.min(
          100,
          (await withTenant(database, tenantIds, (tx) => listBots(tx, { limit: 100 }))).length,
        );
      },
    },
  ];
}

async function bareRoundTrip({ pool }: Database): Promise<number> {
  return (await pool.query('select 1')).rowCount ?? 0;
}

function figures(samples: readonly number[]): Record<string, number> {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), count: sorted.length };
}

function table(series: Series, variants: readonly Variant[]): Table {
  return {
    title: `Authorization: ${sizes.edges} edges, ${sizes.policies} policies; bots of ${sizes.tenants} tenants with ${sizes.bots}`,
    head: ['what', 'p50 µs', 'of select 1', 'p99 µs', 'of select 1'],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'p50')),
      times(series.ratio(name, roundTrip, 'p50')),
      spread(series.of(name, 'p99')),
      times(series.ratio(name, roundTrip, 'p99')),
    ]),
    notes: [
      'One after another on one connection. walk: who a person is and all that they reach. policies: their revision read, Cedar asked.',
      `list bots: reach of an admin of all ${sizes.tenants} tenants, and the first page of 100 of their bots.`,
    ],
  };
}
