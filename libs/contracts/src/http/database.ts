import { z } from 'zod';
import { moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { pageQueryBy } from './page.ts';

const access = 'operator';
const count = z.number().int();
const bytes = z.number().int();
const collectionName = z
  .string()
  .regex(/^[a-z_]{1,63}\.[a-z0-9_]{1,63}$/)
  .describe('Schema and table, such as `agents.messages`.');

const Sizes = { tableBytes: bytes, indexBytes: bytes, totalBytes: bytes };
const Rows = {
  rows: count,
  isExact: z.boolean().describe('Counted; above 10,000 rows it is the estimate of the database.'),
};

export const Collection = z
  .object({ collectionName, schema: z.string(), table: z.string(), ...Rows, ...Sizes })
  .meta({ id: 'Collection', description: 'A table of the database with its size.' });
export type Collection = z.input<typeof Collection>;

export const Column = z.object({
  name: z.string().describe('The name of the column.'),
  type: z.string().describe('The type in the words of Postgres.'),
  isNullable: z.boolean(),
  hasDefault: z.boolean(),
  isSealed: z.boolean().describe('Holds secrets, encrypted: no login but its service ever reads it.'),
});

const TableIndex = z.object({
  name: z.string().describe('The name of the index.'),
  columns: z.array(z.string()).describe('Columns or expressions, in order.'),
  isUnique: z.boolean().describe('Whether it lets no two rows be the same.'),
  isPrimary: z.boolean().describe('Whether it is that of the primary key.'),
  isPartial: z.boolean().describe('Whether it holds only rows that meet a condition.'),
  sizeBytes: bytes,
  scans: count.describe('How often it was used since the statistics began.'),
});

export const CollectionDetail = Collection.extend({
  columns: z.array(Column).describe('The columns, in their order.'),
  indexes: z.array(TableIndex).describe('The indexes, those of constraints too.'),
  isTenantScoped: z.boolean().describe('Whether every row belongs to a tenant.'),
  isRowSecurityForced: z
    .boolean()
    .describe('Whether the database shows a row to its own tenant alone, whoever asks.'),
  deadRows: count,
  lastVacuumedAt: moment.nullable().describe('When space of deleted rows was last freed; `null` if never.'),
  lastAnalyzedAt: moment.nullable().describe('When its statistics were last taken; `null` if never.'),
}).meta({ id: 'CollectionDetail', description: 'A table of the database with its columns and indexes.' });
export type CollectionDetail = z.input<typeof CollectionDetail>;

export const DatabaseStats = z
  .object({
    databaseBytes: bytes.describe('The whole database on disk, in bytes.'),
    collections: count,
    ...Rows,
    ...Sizes,
    connections: z
      .object({
        used: count.describe('Connections that are open now, of everybody.'),
        most: count.describe('Connections that the server takes.'),
      })
      .describe('Connections to the database server.'),
    schemas: z
      .array(z.object({ schema: z.string(), collections: count, ...Rows, ...Sizes }))
      .describe('The same by schema.'),
    measuredAt: moment,
  })
  .meta({ id: 'DatabaseStats', description: 'How large the database is, by schema.' });
export type DatabaseStats = z.input<typeof DatabaseStats>;

export const SchemaTable = z
  .object({
    collectionName,
    columns: z.array(Column).describe('The columns, in their order.'),
    primaryKey: z.array(z.string()).describe('The columns that identify a row.'),
    foreignKeys: z
      .array(
        z.object({
          columns: z.array(z.string()).describe('The columns that refer to it.'),
          references: collectionName,
          onDelete: z
            .string()
            .describe('What becomes of the row when the other is deleted, such as `cascade` or `no action`.'),
        }),
      )
      .describe('What has to exist in other tables for a row to be.'),
  })
  .meta({ id: 'SchemaTable', description: 'The shape of a table: columns and keys.' });
export type SchemaTable = z.input<typeof SchemaTable>;

export const AppliedMigration = z
  .object({
    schema: z.string(),
    name: z.string().describe('The file of the migration, without its ending.'),
    hash: z.string().describe('SHA-256 of what was applied.'),
    appliedAt: moment,
  })
  .meta({ id: 'AppliedMigration', description: 'A migration that was applied to the database.' });
export type AppliedMigration = z.input<typeof AppliedMigration>;

const Probe = z.object({
  status: z.enum(['ok', 'unavailable']),
  latencyMs: z
    .object({ least: z.number(), median: z.number(), most: z.number() })
    .nullable()
    .describe('Of 5 round trips; `null` when it does not answer.'),
});
export type Probe = z.input<typeof Probe>;

export const DatabaseHealth = z
  .object({
    status: z.enum(['ok', 'degraded']),
    database: Probe.describe('The login of the services.'),
    reader: Probe.describe('The login that looks at the catalogue.'),
    bus: Probe.describe('Round trips to the server.'),
    stream: Probe.describe('Publications that were acknowledged as durable.'),
    checkedAt: moment,
  })
  .meta({
    id: 'DatabaseHealth',
    description: 'How long round trips to the database and the message bus take.',
  });
export type DatabaseHealth = z.input<typeof DatabaseHealth>;

const noReader =
  'Reads by a login of its own, which sees columns without text only; 503 where it is not set up.';

export const databaseRouter = defineRouter({
  basePath: '/api/database',
  service: 'tenancy',
  description: 'Size, shape and health of the database. Nothing here shows what is in a row.',
  routes: {
    getDatabaseStats: route({
      method: 'get',
      path: '/stats',
      access,
      summary: 'Get row counts and sizes.',
      description: noReader,
      response: DatabaseStats,
      errors: [503],
    }),
    listCollections: route({
      method: 'get',
      path: '/collections',
      access,
      summary: 'List the tables of all schemas, by name.',
      description: noReader,
      response: z.array(Collection),
      errors: [503],
    }),
    getCollection: route({
      method: 'get',
      path: '/collections/:collectionName',
      access,
      summary: 'Get one table: columns, indexes, sizes.',
      description: noReader,
      params: { collectionName },
      response: CollectionDetail,
      errors: [404, 503],
    }),
    getDatabaseSchema: route({
      method: 'get',
      path: '/schema',
      access,
      summary: 'Get the shape of all tables.',
      description: noReader,
      response: z.array(SchemaTable),
      errors: [503],
    }),
    listMigrations: route({
      method: 'get',
      path: '/migrations',
      access,
      summary: 'List the migrations that were applied to all schemas.',
      description: noReader,
      query: pageQueryBy(z.string().regex(/^\d{1,16}:[a-z]{1,32}$/)),
      response: z.array(AppliedMigration),
      paged: true,
      errors: [503],
    }),
    checkDatabase: route({
      method: 'post',
      path: '/health-check',
      access,
      summary: 'Measure the round trips to the database and the message bus.',
      response: DatabaseHealth,
    }),
  },
});
