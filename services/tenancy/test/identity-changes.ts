import type {
  IdentityChange,
  IdentityMembership,
  IdentityUser,
} from '@botyard/contracts/events/webhooks-identity';
import type { Outbox as OutboxType } from '@botyard/shared/bus/outbox';
import { Outbox } from '@botyard/shared/bus/outbox';
import { type Database, type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { readIdentityEvent } from '../../webhooks/src/identity/domain/read-event.ts';
import { sampleBytes } from '../../webhooks/test/idp-deliveries.ts';
import type { Deps } from '../src/deps.ts';
import { applyIdentityChanges } from '../src/identity/domain/apply-changes.ts';
import type { Change } from '../src/identity/domain/fold-change.ts';

/** The change that a sample delivery describes. */
export function changeOf(sampleName: string): IdentityChange {
  const read = readIdentityEvent(sampleBytes(sampleName), 0);
  if (!('change' in read)) throw new Error(`${sampleName} tells nothing`);
  return read.change;
}

export const userSaved = (idpUserId: string, at: number, change: Partial<IdentityUser> = {}) =>
  ({
    kind: 'user.saved',
    happenedAt: at,
    user: { idpUserId, email: `${idpUserId}@example.com`, name: idpUserId, updatedAt: at, ...change },
  }) satisfies IdentityChange;

export const userDeleted = (idpUserId: string, at: number) =>
  ({ kind: 'user.deleted', happenedAt: at, idpUserId }) satisfies IdentityChange;

/** Without a creator unless one is named. */
export const organizationSaved = (idpOrgId: string, at: number, name = idpOrgId, createdBy?: string) =>
  ({
    kind: 'organization.saved',
    happenedAt: at,
    organization: { idpOrgId, name, updatedAt: at, ...(createdBy ? { createdBy } : {}) },
  }) satisfies IdentityChange;

export const organizationDeleted = (idpOrgId: string, at: number) =>
  ({ kind: 'organization.deleted', happenedAt: at, idpOrgId }) satisfies IdentityChange;

/** A membership of a person in an organization, reported at a time; the record has the same id each time. */
export function membershipOf(
  idpUserId: string,
  idpOrgId: string,
  role: 'org:admin' | 'org:member',
  at: number,
): IdentityMembership {
  return {
    idpMembershipId: `orgmem_${idpUserId}_${idpOrgId}`,
    role,
    updatedAt: at,
    user: { idpUserId, name: idpUserId },
    organization: { idpOrgId, name: idpOrgId, updatedAt: 1 },
  };
}

export const memberSaved = (...of: Parameters<typeof membershipOf>) =>
  ({ kind: 'membership.saved', happenedAt: of[3], membership: membershipOf(...of) }) satisfies IdentityChange;

export const memberDeleted = (...of: Parameters<typeof membershipOf>) =>
  ({
    kind: 'membership.deleted',
    happenedAt: of[3],
    membership: { ...membershipOf(...of), updatedAt: 1 },
  }) satisfies IdentityChange;

export interface Applier {
  database: Database;
  /** In a transaction of its own, as the consumer does it. */
  apply(...changes: Change[]): Promise<void>;
  /** One after another, looked at, and rolled back. */
  outcomeOf(changes: readonly Change[]): Promise<unknown>;
}

export async function openApplier(harness: ServiceHarness): Promise<Applier> {
  const database = harness.databaseAs('tenancy');
  const outbox: OutboxType = new Outbox({
    bus: await harness.busAs('tenancy'),
    database,
    schema: 'tenancy',
  });
  const deps: Pick<Deps, 'outbox' | 'log'> = { outbox, log: harness.log('test') };
  return {
    database,
    apply: (...changes) => withPlatform(database, 'test', (tx) => applyIdentityChanges(deps, tx, changes)),
    outcomeOf: async (changes) => {
      const looked = new Error('looked at, not kept');
      let outcome: unknown;
      await withPlatform(database, 'test', async (tx) => {
        for (const change of changes) await applyIdentityChanges(deps, tx, [change]);
        outcome = await everything(tx);
        throw looked;
      }).catch((error: unknown) => {
        if (error !== looked) throw error;
      });
      return outcome;
    },
  };
}

/** Everything that the identity provider decides, by its own identifiers. */
export async function everything(tx: PlatformTx): Promise<unknown> {
  const read = (name: string, text: string) => tx.query({ name: `test.${name}`, text, values: [] });
  // Checks the constraints that otherwise only the commit would check.
  await read('constraints', 'set constraints all immediate');
  return {
    people: await read(
      'people',
      `select idp_user_id, email, name, deleted_at from tenancy.users order by idp_user_id`,
    ),
    tenants: await read(
      'tenants',
      `select t.name, t.idp_org_id, o.idp_org_id as made_for from tenancy.tenants t
       left join tenancy.idp_organizations o on o.made_tenant_id = t.tenant_id where not is_platform order by 3`,
    ),
    members: await read(
      'members',
      `select o.idp_org_id, u.idp_user_id, m.role, m.source, m.kept_since is not null as is_kept
       from tenancy.memberships m join tenancy.users u using (user_id)
       left join tenancy.idp_organizations o on o.made_tenant_id = m.tenant_id order by 1, 2`,
    ),
    grants: await read(
      'grants',
      `select o.idp_org_id, u.idp_user_id, g.role from tenancy.idp_grants g join tenancy.users u using (user_id)
       left join tenancy.idp_organizations o on o.made_tenant_id = g.tenant_id order by 1, 2`,
    ),
  };
}

export function permutationsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutationsOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}
