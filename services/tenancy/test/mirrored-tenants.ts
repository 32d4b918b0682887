import type { Identity } from '@botyard/contracts/identity';
import { eventually } from '@botyard/testing/eventually';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { type TestCall, user } from '@botyard/testing/test-call';
import { type Applier, memberSaved, organizationSaved } from './identity-changes.ts';

export const operator: Identity = user('user_operator', { isOperator: true });
export const migrationPath = '/api/migrations/authorization-policy';

/** Organizations with an admin and two members each, and the tenants that stand for them. */
export async function mirrorOrganizations(
  applier: Applier,
  names: readonly string[],
  at = 1000,
): Promise<void> {
  for (const name of names) {
    const org = `org_${name}`;
    await applier.apply(organizationSaved(org, at, name));
    await applier.apply(memberSaved(`user_${name}_boss`, org, 'org:admin', at));
    await applier.apply(memberSaved(`user_${name}_one`, org, 'org:member', at));
    await applier.apply(memberSaved(`user_${name}_two`, org, 'org:member', at));
  }
}

/** Every row of the tables that the migration may touch, in all its columns. */
export async function dumpOf(harness: ServiceHarness): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {};
  for (const table of ['memberships', 'idp_grants', 'policies', 'tenants', 'edges']) {
    const rows = await harness.asOwner<{ row: string }>(
      `select t::text as row from tenancy.${table} t order by 1`,
    );
    dump[table] = rows.map(({ row }) => row);
  }
  return dump;
}

/** Memberships as `person role source`. */
export async function seatsOf(harness: ServiceHarness): Promise<string[]> {
  const rows = await harness.asOwner<{ seat: string }>(
    `select concat_ws(' ', u.idp_user_id, m.role, m.source, case when m.kept_since is not null then 'kept' end) as seat
     from tenancy.memberships m join tenancy.users u using (user_id) order by 1`,
  );
  return rows.map(({ seat }) => seat);
}

export async function statusOf(call: TestCall) {
  return (await call('GET', `${migrationPath}/status`, { as: operator })).body;
}

export const reaches = (call: TestCall, state: string) =>
  eventually(`the migration is ${state}`, async () => (await statusOf(call)).state === state);
