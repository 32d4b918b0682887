import {
  type AnyPgColumn,
  type BuildExtraConfigColumns,
  bigint,
  index,
  integer,
  type PgColumnBuilderBase,
  type PgSchema,
  type PgTableExtraConfigValue,
  pgPolicy,
  pgSchema,
  primaryKey,
  sql,
  text,
  timestamp,
  uuid,
} from './drizzle.ts';

type Schema = ReturnType<typeof pgSchema>;

export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
export const createdAt = () => moment('created_at').notNull().defaultNow();

/**
 * The policy of every tenant's table: a row is visible to a transaction that names its tenant, or to one across
 * tenants. Each migration adds `force row level security`, so that the policy applies to the owner too.
 */
export const tenantPolicy = () =>
  pgPolicy('tenant_scope', {
    using: sql`tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform())`,
  });

type Columns = Record<string, PgColumnBuilderBase>;
type OfTenant<T, C> = { tenantId: T } & C;
const ownTenantId = () => uuid('tenant_id').notNull();

/**
 * Creates tables whose rows belong to tenants: `tenant_id` comes first in the row and in the key, and `tenantPolicy`
 * guards them.
 */
export const tenantTables =
  <S extends string, T extends PgColumnBuilderBase = ReturnType<typeof ownTenantId>>(
    schema: PgSchema<S>,
    tenantId: () => T = ownTenantId as never,
  ) =>
  <N extends string, C extends Columns>(
    name: N,
    key: readonly (keyof NoInfer<C> & string)[],
    columns: C,
    others: (table: BuildExtraConfigColumns<N, OfTenant<T, C>, 'pg'>) => PgTableExtraConfigValue[] = () => [],
  ) =>
    schema.table<N, OfTenant<T, C>>(name, { tenantId: tenantId(), ...columns }, (table) => {
      const column = (of: string) => table[of as keyof typeof table] as unknown as AnyPgColumn;
      return [
        primaryKey({ columns: [column('tenantId'), ...key.map(column)] }),
        ...others(table),
        tenantPolicy(),
      ];
    });

/** Only transactions across tenants see these rows: people, relays, housekeeping. */
export const platformPolicy = () => pgPolicy('platform_scope', { using: sql`(select app.is_platform())` });

/**
 * The tables that the bus needs in the schema of every service that publishes or consumes (REQ-REL-2, REQ-REL-3 and
 * REQ-REL-5). With `'by subject'`, events of the outbox can be looked up by their tenant and conversation.
 */
export function busTables(schema: Schema, reading?: 'by subject') {
  return {
    outbox: schema.table(
      'outbox',
      {
        id: uuid().primaryKey(),
        subject: text().notNull(),
        data: text().notNull(),
        traceparent: text(),
        createdAt: createdAt(),
        publishedAt: moment('published_at'),
        /** The event's position in the stream, by which a stream that was reset is recognized. */
        streamSeq: bigint('stream_seq', { mode: 'number' }),
      },
      (table) => [
        index('outbox_unpublished').on(table.id).where(sql`published_at is null`),
        ...(reading ? [index('outbox_by_subject').using('hash', table.subject)] : []),
        pgPolicy('anyone_writes', { for: 'insert', withCheck: sql`true` }),
        platformPolicy(),
      ],
    ),
    inbox: schema.table('inbox', {
      eventId: uuid('event_id').primaryKey(),
      consumedAt: moment('consumed_at').notNull().defaultNow(),
    }),
    consumerFailures: schema.table('consumer_failures', {
      eventId: uuid('event_id').primaryKey(),
      attempts: integer().notNull(),
      lastError: text('last_error').notNull(),
      failedAt: moment('failed_at').notNull().defaultNow(),
    }),
    deadLetters: schema.table(
      'dead_letters',
      {
        eventId: uuid('event_id').primaryKey(),
        subject: text().notNull(),
        data: text().notNull(),
        attempts: integer().notNull(),
        lastError: text('last_error').notNull(),
        deadAt: moment('dead_at').notNull().defaultNow(),
      },
      () => [platformPolicy()],
    ),
    streams: schema.table('streams', {
      name: text().primaryKey(),
      createdAt: text('created_at').notNull(),
      /** Incremented whenever the stream has lost something. */
      epoch: integer().notNull().default(0),
    }),
  };
}

/** The columns of those tables, for statements that run in any service's schema. */
export const busColumns = busTables(pgSchema('any'));
