import { z } from 'zod';
import { moment } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { pageQueryBy } from './page.ts';

const count = z.int();
const bytes = z.int();
const collectionName = z
  .string()
  .regex(/^[a-z_]{1,63}\.[a-z0-9_]{1,63}$/)
  .describe('The schema and the table, such as `agents.messages`.');

const Sizes = { tableBytes: bytes, indexBytes: bytes, totalBytes: bytes };
const Rows = {
  rows: count,
  isExact: z
    .boolean()
    .describe('Whether `rows` is an exact count. Above 10,000 rows it is an estimate of the database.'),
};

export const Collection = z
  .object({ collectionName, schema: z.string(), table: z.string(), ...Rows, ...Sizes })
  .meta({ id: 'Collection', description: 'A database table with its size.' });
export type Collection = z.input<typeof Collection>;

const Column = z.object({
  name: z.string().describe('The name of the column.'),
  type: z.string().describe('The Postgres type of the column.'),
  isNullable: z.boolean(),
  hasDefault: z.boolean(),
  isSealed: z
    .boolean()
    .describe(
      'Whether the column holds encrypted secrets. Only the login of the service that owns it can read it.',
    ),
});

const TableIndex = z.object({
  name: z.string().describe('The name of the index.'),
  columns: z.array(z.string()).describe('The columns or expressions of the index, in order.'),
  isUnique: z.boolean().describe('Whether the index is unique.'),
  isPrimary: z.boolean().describe('Whether the index belongs to the primary key.'),
  isPartial: z.boolean().describe('Whether the index covers only rows that meet a condition.'),
  sizeBytes: bytes,
  scans: count.describe('The number of scans of the index since statistics were last reset.'),
});

export const CollectionDetail = Collection.extend({
  columns: z.array(Column).describe('The columns, in table order.'),
  indexes: z.array(TableIndex).describe('The indexes, including those of constraints.'),
  isTenantScoped: z.boolean().describe('Whether every row belongs to a tenant.'),
  isRowSecurityForced: z
    .boolean()
    .describe(
      'Whether row-level security is forced, so that each row is visible only to its own tenant, for every login.',
    ),
  deadRows: count,
  lastVacuumedAt: moment.nullable().describe('When the table was last vacuumed; `null` if never.'),
  lastAnalyzedAt: moment.nullable().describe('When the table was last analyzed; `null` if never.'),
}).meta({ id: 'CollectionDetail', description: 'A database table with its columns and indexes.' });
export type CollectionDetail = z.input<typeof CollectionDetail>;

export const DatabaseStats = z
  .object({
    databaseBytes: bytes.describe('Size of the whole database on disk, in bytes.'),
    collections: count,
    ...Rows,
    ...Sizes,
    connections: z
      .object({
        used: count.describe('The number of open connections of all clients.'),
        most: count.describe('The maximum number of connections of the server.'),
      })
      .describe('Connections to the database server.'),
    schemas: z
      .array(z.object({ schema: z.string(), collections: count, ...Rows, ...Sizes }))
      .describe('The same figures for each schema.'),
    measuredAt: moment.describe('When the sizes were measured.'),
  })
  .meta({ id: 'DatabaseStats', description: 'The size of the database, in total and by schema.' });
export type DatabaseStats = z.input<typeof DatabaseStats>;

export const SchemaTable = z
  .object({
    collectionName,
    columns: z.array(Column).describe('The columns, in table order.'),
    primaryKey: z.array(z.string()).describe('The columns of the primary key.'),
    foreignKeys: z
      .array(
        z.object({
          columns: z.array(z.string()).describe('The referencing columns of this table.'),
          references: collectionName,
          onDelete: z
            .string()
            .describe(
              'The action on the row when the referenced row is deleted, such as `cascade` or `no action`.',
            ),
        }),
      )
      .describe('The foreign keys to other tables.'),
  })
  .meta({ id: 'SchemaTable', description: 'The schema of a table: its columns and keys.' });
export type SchemaTable = z.input<typeof SchemaTable>;

export const AppliedMigration = z
  .object({
    schema: z.string(),
    name: z.string().describe('The file name of the migration, without its extension.'),
    hash: z.string().describe('SHA-256 hash of the applied migration.'),
    appliedAt: moment.describe('When it was applied to this database.'),
  })
  .meta({ id: 'AppliedMigration', description: 'A migration that has been applied to the database.' });
export type AppliedMigration = z.input<typeof AppliedMigration>;

const Probe = z.object({
  status: z.enum(['ok', 'unavailable']),
  latencyMs: z
    .object({ least: z.number(), median: z.number(), most: z.number() })
    .nullable()
    .describe('Latency of 5 round trips in milliseconds; `null` if there is no response.'),
});
export type Probe = z.input<typeof Probe>;

export const DatabaseHealth = z
  .object({
    status: z.enum(['ok', 'degraded']),
    database: Probe.describe('Round trips with the database login of the services.'),
    reader: Probe.describe('Round trips with the database login that reads the catalogue.'),
    bus: Probe.describe('Round trips to the NATS server.'),
    stream: Probe.describe('Messages published to a stream until they are acknowledged as stored.'),
    checkedAt: moment,
  })
  .meta({ id: 'DatabaseHealth', description: 'Latency of round trips to the database and the message bus.' });
export type DatabaseHealth = z.input<typeof DatabaseHealth>;

const noReader =
  'Uses a separate database login, which can read only columns without text. Returns 503 if that login is ' +
  'not set up.';

export const databaseRouter = defineRouter({
  basePath: '/api/database',
  service: 'tenancy',
  description: 'Size, schema and health of the database. The content of rows is never shown.',
  routes: {
    getDatabaseStats: operator.get('/stats', {
      summary: 'Get row counts and sizes of the database, by schema.',
      description: noReader,
      response: DatabaseStats,
      errors: [503],
    }),
    listCollections: operator.get('/collections', {
      summary: 'List the tables of all schemas, by name.',
      description: noReader,
      response: z.array(Collection),
      errors: [503],
    }),
    getCollection: operator.get('/collections/:collectionName', {
      summary: 'Get a table with its columns, indexes and sizes.',
      description: noReader,
      // Accepts any name, so that an impossible one is 404, like any unknown table.
      params: {
        collectionName: z.string().max(200).describe('The schema and the table, such as `agents.messages`.'),
      },
      response: CollectionDetail,
      errors: [404, 503],
    }),
    getDatabaseSchema: operator.get('/schema', {
      summary: 'Get the schema of all tables.',
      description: noReader,
      response: z.array(SchemaTable),
      errors: [503],
    }),
    listMigrations: operator.list('/migrations', {
      summary: 'List the migrations that have been applied to all schemas.',
      description: noReader,
      query: pageQueryBy(z.string().regex(/^\d{1,16}:[a-z]{1,32}$/)),
      response: z.array(AppliedMigration),
      errors: [503],
    }),
    checkDatabase: operator.post('/health-check', {
      summary: 'Measure the latency of the database and the message bus.',
      response: DatabaseHealth,
    }),
  },
});
