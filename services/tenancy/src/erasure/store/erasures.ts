import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns, sql } from '@botyard/shared/db/drizzle';
import { boolean, count } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { erasures, ledgerMarks } from '../../store/erasure-schema.ts';
import { tenants } from '../../store/schema.ts';

export type ErasureRow = typeof erasures.$inferSelect;
type ErasureKey = Pick<ErasureRow, 'tenantId' | 'erasureId'>;

const stored = rowsOf(erasures, 'tenantId', 'erasureId');

export async function insertErasure(
  tx: AnyTx,
  row: ErasureKey &
    Pick<ErasureRow, 'personIds' | 'erasedBefore' | 'sealedSubject' | 'createdBy'> & { notedAt?: Date },
): Promise<void> {
  await tx.db
    .insert(erasures)
    .values({ ...row, state: 'queued' })
    .onConflictDoNothing();
}

export const getErasure = stored.get;

/** Newest first, one more than the page's limit. */
export const listErasures = (
  tx: TenantTx,
  tenantId: string,
  { state, ...page }: PageRequest & { state?: ErasureRow['state'] | undefined },
) => stored.list(tx, { tenantId, state }, page);

/** The number of a tenant's erasures, and whether one of these people is being erased. */
export async function lookBefore(tx: TenantTx, tenantId: string, personIds: readonly string[]) {
  return await tx.one({
    name: 'tenancy.erasures.look',
    text: typedSql`select ${columns({
      all: count(),
      isRunning: boolean(`coalesce(bool_or(state <> 'done' and person_ids && $2::uuid[]), false)`),
    })} from tenancy.erasures where tenant_id = $1`,
    values: [tenantId, personIds],
  });
}

/** Restarts a finished one. Returns `false` while it runs. */
export const restartErasure = preparedStatement({
  name: 'tenancy.erasures.restart',
  text: `update tenancy.erasures set state = 'queued', step = 0, ready_at = now(), attempts = 0, completed_at = null
         where tenant_id = $1 and erasure_id = $2 and state = 'done' returning 1`,
  values: ({ tenantId, erasureId }: ErasureKey) => [tenantId, erasureId],
  result: (rows) => rows.length > 0,
});

export const erasureQueue: QueueTable<ErasureRow> = {
  table: 'tenancy.erasures',
  key: ['tenantId', 'erasureId'],
  columns: columns(getTableColumns(alias(erasures, 'q'))),
  isOfQueue: "q.state <> 'done'",
  leaseSeconds: 30,
  fence: 'fence',
  set: `attempts = q.attempts + 1, runs = q.runs + (q.state = 'queued')::int, state = 'running'`,
};

/** Progress of an erasure. */
export type Progress = Partial<
  Pick<
    ErasureRow,
    'step' | 'receipts' | 'sealedSubject' | 'waitsFor' | 'notedAt' | 'state' | 'completedAt' | 'attempts'
  >
> & { /** Releases the claim until then. */ retryInMs?: number };

/** Saves progress. Returns `false` if the claim was lost. */
export async function saveProgress(
  tx: TenantTx,
  row: ErasureRow,
  { retryInMs, ...progress }: Progress,
): Promise<boolean> {
  const isGivenBack = retryInMs !== undefined || progress.state === 'done';
  const rows = await tx.db
    .update(erasures)
    .set({
      ...progress,
      ...(isGivenBack ? { leaseUntil: null } : {}),
      ...(retryInMs === undefined
        ? {}
        : { readyAt: sql`now() + make_interval(secs => ${retryInMs}::float8 / 1000)` }),
    })
    .where(and(stored.matches(row), eq(erasures.fence, row.fence), eq(erasures.state, 'running')))
    .returning({ id: erasures.erasureId });
  return rows.length > 0;
}

/** All erasures of a tenant, for the ledger. */
export async function listTombstones(
  tx: TenantTx,
  tenantId: string,
): Promise<Pick<ErasureRow, 'erasureId' | 'personIds' | 'erasedBefore'>[]> {
  const { erasureId, personIds, erasedBefore } = erasures;
  return await tx.db
    .select({ erasureId, personIds, erasedBefore })
    .from(erasures)
    .where(eq(erasures.tenantId, tenantId))
    .orderBy(erasures.erasureId);
}

/** A page of tenants after the given one. */
export async function listTenantIds(tx: PlatformTx, after: string, limit: number): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.erasures.tenants',
    text: typedSql`select ${columns({ tenantId: tenants.tenantId })} from tenancy.tenants
           where tenant_id > $1 order by tenant_id limit $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.tenantId);
}

const name = 'erasures';

export async function getLedgerMark(tx: PlatformTx): Promise<string | null> {
  const [row] = await tx.query({
    name: 'tenancy.ledger-marks.get',
    text: typedSql`select ${columns({ mark: ledgerMarks.mark })} from tenancy.ledger_marks where name = $1`,
    values: [name],
  });
  return row?.mark ?? null;
}

export async function setLedgerMark(tx: PlatformTx, mark: string): Promise<void> {
  await tx.query({
    name: 'tenancy.ledger-marks.set',
    text: `insert into tenancy.ledger_marks (name, mark) values ($1, $2)
           on conflict (name) do update set mark = excluded.mark`,
    values: [name, mark],
  });
}
