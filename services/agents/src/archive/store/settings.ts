import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, eq, getTableColumns, sql } from '@botyard/shared/db/drizzle';
import { moment, oneOf } from '@botyard/shared/db/expressions';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { archiveJobs, archiveSettings } from '../../store/archive-schema.ts';

type ArchiveSettingsRow = typeof archiveSettings.$inferSelect;
export type Retention = Pick<
  ArchiveSettingsRow,
  'isEnabled' | 'archiveAfterDays' | 'trimAfterDays' | 'deleteAfterDays'
>;

export async function getArchiveSettings(
  tx: TenantTx,
  tenantId: string,
): Promise<ArchiveSettingsRow | undefined> {
  const [row] = await tx.db.select().from(archiveSettings).where(eq(archiveSettings.tenantId, tenantId));
  return row;
}

/** Serializes changes of a tenant's settings: a change of one field is checked against the others. */
export const lockArchiveSettings = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `archive_settings ${tenantId}`);

export async function saveArchiveSettings(
  tx: TenantTx,
  tenantId: string,
  settings: Retention,
): Promise<void> {
  await tx.db
    .insert(archiveSettings)
    .values({ tenantId, ...settings })
    .onConflictDoUpdate({ target: archiveSettings.tenantId, set: { ...settings, updatedAt: sql`now()` } });
}

const dueJob = columns({
  tenantId: alias(archiveSettings, 's').tenantId,
  kind: oneOf(['archive', 'trim'], 'kind'),
  before: moment('now() - make_interval(days => days)'),
});

const { tenantId, jobId, kind, before } = getTableColumns(archiveJobs);
const due = unnest('due', { tenantId, jobId, kind, before });

/**
 * Creates the jobs that the tenants' settings require, each kind every 6 hours. Jobs that people start replace none of
 * them, since they may concern one chat only. Returns how many.
 */
export async function scheduleJobs(tx: PlatformTx): Promise<number> {
  const wanted = await tx.query({
    name: 'agents.archive.due',
    text: typedSql`select ${dueJob}
           from agents.archive_settings s
           cross join lateral (values ('archive', s.archive_after_days), ('trim', s.trim_after_days)) as k (kind, days)
           where s.is_enabled and days is not null and not exists (select from agents.archive_jobs j
             where j.tenant_id = s.tenant_id and j.kind = k.kind
               and (j.state in ('queued', 'running') or (j.created_by is null and j.created_at > now() - interval '6 hours')))
             and s.tenant_id <> all (array(select tenant_id from agents.deleted_tenants))
           limit 1000`,
    values: [],
  });
  await tx.query({
    name: 'agents.archive.schedule',
    text: `insert into agents.archive_jobs (${due.columns}, state)
           select ${due.columns}, 'queued' from ${due}
           on conflict do nothing`,
    values: due.values(wanted.map((job) => ({ ...job, jobId: uuidv7() }))),
  });
  return wanted.length;
}
