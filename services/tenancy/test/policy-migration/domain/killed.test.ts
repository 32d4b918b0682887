import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApplier } from '../../identity-changes.ts';
import { startTenancy } from '../../idp-services.ts';
import {
  dumpOf,
  migrationPath,
  mirrorOrganizations,
  operator,
  reaches,
  seatsOf,
  statusOf,
} from '../../mirrored-tenants.ts';

let harness: ServiceHarness;
const names = ['a', 'b', 'c', 'd', 'e'];

beforeEach(async () => {
  harness = await ServiceHarness.open();
  await mirrorOrganizations(await openApplier(harness), names);
});
afterEach(() => harness?.close());

/** A process that is asked for this, and dies at the failpoint. */
async function crashAt(failpoint: string, what: 'execute' | 'rollback'): Promise<void> {
  const [name, pass] = failpoint.split('*');
  const crashing = await harness.startProcess('tenancy', {
    MESSENGER_API_URL: 'http://messenger.invalid',
    FAILPOINTS: `${name}:crash*${pass}`,
  });
  await crashing.call('POST', `${migrationPath}/${what}`, { as: operator }).catch(() => undefined);
  expect(await crashing.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

const convertedTenants = async () => {
  const rows = await harness.asOwner<{ sources: string; policies: number }>(
    `select string_agg(distinct m.source, '+') as sources,
       (select count(*)::int from tenancy.policies p where p.tenant_id = m.tenant_id) as policies
     from tenancy.memberships m group by m.tenant_id`,
  );
  return rows.map(({ sources, policies }) => `${sources} ${policies}`).sort();
};

/** The number of tenants, out of 5, that were done when the process died at the third. */
const places = [
  ['in a tenant, before its commit', 'in-batch', 2],
  ['between two tenants', 'between-batches', 3],
] as const;

test.each(places)(
  'killed %s: no tenant is half done, and the next instance that starts completes the run',
  async (_, place, done) => {
    const before = await dumpOf(harness);
    await crashAt(`tenancy.policy-migration.${place}*3`, 'execute');
    const halfWay = [...Array(done).fill('api 3'), ...Array(5 - done).fill('idp 0')];
    expect(await convertedTenants()).toEqual(halfWay);
    const survivor = await startTenancy(harness);
    await reaches(survivor.call, 'executed');
    expect(await convertedTenants()).toEqual(Array(5).fill('api 3'));
    expect(await statusOf(survivor.call)).toMatchObject({
      pending: { edges: 0, policies: 0 },
      done: { edges: 15, policies: 15 },
      lastError: null,
    });
    await survivor.stop();

    await crashAt(`tenancy.policy-rollback.${place}*3`, 'rollback');
    expect(await convertedTenants()).toEqual([
      ...Array(5 - done).fill('api 3'),
      ...Array(done).fill('idp 0'),
    ]);
    const last = await startTenancy(harness);
    await reaches(last.call, 'rolledBack');
    expect(await dumpOf(harness)).toEqual(before);
    expect(await statusOf(last.call)).toMatchObject({
      restored: { edges: 15, policies: 15 },
      kept: { edges: 0, policies: 0 },
    });
  },
);

test('simultaneous requests to two instances carry out one run, and every row is changed once', async () => {
  const [one, two] = await Promise.all([
    startTenancy(harness),
    startTenancy(harness, { namespace: `${harness.namespace}_two` }),
  ]);
  const execute = (service: typeof one) => service.call('POST', `${migrationPath}/execute`, { as: operator });
  const answers = await Promise.all([execute(one), execute(two), execute(one), execute(two)]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(answers.filter(({ body }) => body.started)).toHaveLength(1);
  await reaches(two.call, 'executed');
  expect(await convertedTenants()).toEqual(Array(5).fill('api 3'));
  expect((await statusOf(one.call)).done).toEqual({ edges: 15, policies: 15 });
  expect((await seatsOf(harness)).filter((seat) => seat.endsWith('api'))).toHaveLength(15);
});
