import { type Database, type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { alias, eq } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { asOnlyInstance } from '../../store/only-instance.ts';
import { idpMemberships, idpOrganizations, users } from '../../store/schema.ts';
import type { MembershipRecord } from './records.ts';

const name = 'identity';
/** The lock number of the reconciling instance. */
const lockNumber = 7_305_482_913;

/** Runs `work` unless another instance is running it, or has finished it less than `everyMs` ago. */
export async function whenDue(database: Database, everyMs: number, work: () => Promise<void>): Promise<void> {
  await asOnlyInstance(database, lockNumber, async () => {
    if (!(await isDue(database, everyMs))) return;
    await work();
    await markFinished(database);
  });
}

/** Allows a tenth less than the interval, so that the timers of instances need not agree. */
async function isDue(database: Database, everyMs: number): Promise<boolean> {
  const rows = await withPlatform(database, 'reconciliation due', (tx) =>
    tx.query({
      name: 'tenancy.reconciliations.recent',
      text: `select from tenancy.idp_reconciliations
             where name = $1 and finished_at > now() - $2 * interval '0.9 milliseconds'`,
      values: [name, everyMs],
    }),
  );
  return rows.length === 0;
}

async function markFinished(database: Database): Promise<void> {
  await withPlatform(database, 'reconciliation finished', (tx) =>
    tx.query({
      name: 'tenancy.reconciliations.finish',
      text: `insert into tenancy.idp_reconciliations (name, finished_at) values ($1, now())
             on conflict (name) do update set finished_at = excluded.finished_at`,
      values: [name],
    }),
  );
}

const u = alias(users, 'u');
const knownPerson = columns({
  ...pick(u, 'userId', 'idpUserId', 'email', 'name'),
  updatedAt: u.idpUpdatedAt,
  /**
   * Whether the identity provider has named this person before. If it doesn't know them now, they are missing there.
   */
  hasProviderRecord: boolean(`u.idp_happened_at is not null or exists
    (select from tenancy.idp_memberships m where m.idp_user_id = u.idp_user_id)`),
});
export type KnownPerson = RowOf<typeof knownPerson>;

/** A page of the people who are not deleted, after this one. */
export async function listKnownPeople(
  tx: PlatformTx,
  after: string | null,
  limit: number,
): Promise<KnownPerson[]> {
  return await tx.query({
    name: 'tenancy.reconciliations.people',
    text: typedSql`select ${knownPerson}
           from tenancy.users u where u.deleted_at is null and ($1::uuid is null or u.user_id > $1)
           order by u.user_id limit $2`,
    values: [after, limit],
  });
}

/** Organizations that are not known to be deleted, mapped or waiting for an admin. */
export async function listLivingOrganizations(tx: PlatformTx): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.reconciliations.organizations',
    text: typedSql`select ${columns({ idpOrgId: idpOrganizations.idpOrgId })}
           from tenancy.idp_organizations where idp_deleted_at is null
           union select idp_org_id from tenancy.tenants where idp_org_id is not null order by 1`,
    values: [],
  });
  return rows.map((row) => row.idpOrgId);
}

export async function listRecordsOf(tx: PlatformTx, idpOrgId: string): Promise<MembershipRecord[]> {
  return await tx.db.select().from(idpMemberships).where(eq(idpMemberships.idpOrgId, idpOrgId));
}
