import { count } from '../../db/expressions.ts';
import { type NamedValues, toSnakeCase } from '../../db/named-values.ts';
import { columns, type Selection, type TypedSql, typedSql } from '../../db/typed-sql.ts';

export type Field<Job> = keyof Job & string;

/** A table whose rows are jobs. All expressions are constant SQL, in which the row is `q`. */
export interface QueueTable<Job> {
  /** With its schema. Tenants in turn need an index on (tenant_id, ready_at) where ready_at is not null. */
  table: string;
  /** `join webhooks.webhook_checks c using (tenant_id, integration_id)`, for conditions. Not together with a fence. */
  join?: string;
  /** The job's fields that identify its row. */
  key: readonly Field<Job>[];
  /** Columns whose names aren't those of their fields in snake case. */
  columnNames?: { readonly [Name in Field<Job>]?: string };
  /** The row of a claim: `columns(pick(alias(media, 'q'), 'tenantId', …))`. */
  columns: Selection<Job>;
  /** When a row is due; never, if null. Defaults to `q.ready_at`. */
  readyAt?: string;
  /** The column with the end of the lease, by default `lease_until`. It may be the one that says when a row is due. */
  leaseUntil?: string;
  leaseSeconds: number;
  /**
   * The field that every claim increments, so that writes of an earlier worker are recognized; or the lease itself,
   * which every claim and renewal changes. Without one the lease isn't renewed: it has to outlast the job.
   */
  fence?: Field<Job>;
  /** Condition for a row that nobody holds, by default that its lease has ended. It may use the queue's `values`. */
  isFree?: string;
  /** Condition for a row that belongs to the queue, if the table also holds others. */
  isOfQueue?: string;
  /** Further columns that a claim sets: `attempts = q.attempts + 1`. */
  set?: string;
}

interface QueueStatements<Job> {
  /** Parameters: `$limit`, and `allotmentValues` where tenants take turns. */
  claim: TypedSql<Job>;
  /** Parameters: the key and the fence. Returns no row if the lease was lost, or the row has left the queue. */
  renew: TypedSql<Job> | undefined;
  /** Condition that something is due; whether it is free is left to the claim if that has its own condition. */
  isDue: string;
  /** Counts jobs that wait or run; 10,000 stands for more. */
  depth: TypedSql<{ waiting: number }>;
}

/** Limits of a claim while tenants take turns. */
export interface Allotment {
  /** Limit of all jobs. */
  limit: number;
  /** Limit of a tenant's jobs while another tenant waits, including its running ones. */
  share: number;
  /** Limit of the jobs of the only tenant that waits. */
  free: number;
  /** Tenants take turns in the order of their ids. The claim begins after this one. */
  after: string;
  /** The number of running jobs of each tenant. */
  running: ReadonlyMap<string, number>;
}

const columnOf = <Job>({ columnNames }: QueueTable<Job>, field: Field<Job>): string =>
  columnNames?.[field] ?? toSnakeCase(field);

export const allotmentValues = ({ limit, share, free, after, running }: Allotment): NamedValues => ({
  limit,
  share,
  free,
  after,
  tenantIds: [...running.keys()],
  runningCounts: [...running.values()],
});

export const beforeAllTenants = '00000000-0000-0000-0000-000000000000';
const afterAllTenants = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The most tenants with due rows that one claim takes from. */
const maxTenants = 64;
/** The most tenants that one claim looks at, after its beginning and before it. */
const maxSteps = 1000;

/** The statements of a queue. With `isFair` tenants take turns. */
export function statementsOf<Job>(of: QueueTable<Job>, isFair: boolean): QueueStatements<Job> {
  const { table, fence, leaseSeconds, leaseUntil = 'lease_until', readyAt = 'q.ready_at' } = of;
  const isOfQueue = of.isOfQueue ?? 'true';
  const from = `${table} q ${of.join ?? ''}`;
  const hasEnded = `(q.${leaseUntil} is null or q.${leaseUntil} < now())`;
  const leased = `${leaseUntil} = now() + make_interval(secs => ${leaseSeconds})`;
  const fenceColumn = fence && toSnakeCase(fence);
  const increments = fenceColumn !== undefined && fenceColumn !== leaseUntil;
  const sets = [leased, increments ? `${fenceColumn} = q.${fenceColumn} + 1` : [], of.set ?? []].flat();
  const held = [...of.key, ...(fence ? [fence] : [])].map((field) => `q.${columnOf(of, field)} = $${field}`);
  const parts = {
    from,
    key: of.key.map((field) => columnOf(of, field)).join(', '),
    readyAt,
    isWaiting: `${readyAt} is not null and ${isOfQueue}`,
    isDue: `${readyAt} <= now() and ${isOfQueue} and ${of.isFree ?? hasEnded}`,
  };
  const joined = of.key.map((field) => columnOf(of, field)).map((column) => `q.${column} = due.${column}`);
  const claim = typedSql`with ${isFair ? dueInTurn(parts) : dueOfAll(parts)}
    update ${table} q set ${sets.join(', ')} from due
    where ${joined.join(' and ')}
    returning ${of.columns}` as TypedSql<Job>;
  const renew = typedSql`update ${table} q set ${leased}
    where ${held.join(' and ')} and q.${leaseUntil} is not null and ${isOfQueue}
    returning ${of.columns}` as TypedSql<Job>;
  return {
    claim,
    renew: fence && renew,
    isDue: `exists (select from ${from} where ${readyAt} <= now() and ${isOfQueue} and ${hasEnded})`,
    depth: typedSql`select ${columns({ waiting: count() })} from
      (select from ${from} where ${parts.isWaiting} limit 10000) q`,
  };
}

interface Parts {
  from: string;
  key: string;
  readyAt: string;
  isWaiting: string;
  isDue: string;
}

const dueOfAll = ({ from, key, readyAt, isDue }: Parts) => `due as (
      select ${key} from ${from}
      where ${isDue}
      order by ${readyAt}
      limit $limit for update of q skip locked
    )`;

/**
 * Each tenant's rows up to its share, tenants in turn; up to `$free` rows if only one tenant waits. `ring` jumps from
 * tenant to tenant by the index, as far as it is read, so the cost doesn't depend on the length of a backlog.
 */
const dueInTurn = ({ from, key, readyAt, isWaiting, isDue }: Parts) => `recursive ring as (
      select tenant_id, has_wrapped, 0 as step
      from (values ($after::uuid, false), ('${beforeAllTenants}'::uuid, true)) as v (tenant_id, has_wrapped)
      union all
      select next.tenant_id, ring.has_wrapped, ring.step + 1
      from ring cross join lateral (
        select q.tenant_id from ${from}
        where ${isWaiting} and q.tenant_id > ring.tenant_id
          and q.tenant_id <= case when ring.has_wrapped then $after::uuid else '${afterAllTenants}' end
        order by q.tenant_id limit 1) next
      where ring.step < ${maxSteps}
    ), waiting as (
      select ring.tenant_id, ring.has_wrapped, coalesce((
        select held.count from unnest($tenantIds::uuid[], $runningCounts::int[]) as held (tenant_id, count)
        where held.tenant_id = ring.tenant_id), 0) as running
      from ring
      cross join lateral (
        select from ${from} where q.tenant_id = ring.tenant_id and ${isDue} order by ${readyAt} limit 1) first
      where ring.step > 0
      limit ${maxTenants}
    ), candidates as (
      select mine.*, waiting.has_wrapped,
        waiting.running + row_number() over (partition by mine.tenant_id order by mine.ready_at) as place
      from waiting cross join lateral (
        select ${key}, ${readyAt} as ready_at from ${from}
        where q.tenant_id = waiting.tenant_id and ${isDue}
        order by ${readyAt}
        limit least($limit::int, greatest(0, $share::int - waiting.running,
          case when (select count(*) from waiting) = 1 then $free::int else 0 end))
        for update of q skip locked) mine
    ), due as (
      select ${key} from candidates order by place, has_wrapped, tenant_id limit $limit
    )`;
