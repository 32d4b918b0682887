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
  .meta({ id: 'Collection' });
export type Collection = z.input<typeof Collection>;

export const Column = z.object({
  name: z.string(),
  type: z.string(),
  isNullable: z.boolean(),
  hasDefault: z.boolean(),
  isSealed: z.boolean().describe('Holds secrets, encrypted: no login but its service ever reads it.'),
});

export const TableIndex = z.object({
  name: z.string(),
  columns: z.array(z.string()).describe('Columns or expressions, in order.'),
  isUnique: z.boolean(),
  isPrimary: z.boolean(),
  isPartial: z.boolean(),
  sizeBytes: bytes,
  scans: count.describe('How often it was used since the statistics began.'),
});

export const CollectionDetail = Collection.extend({
  columns: z.array(Column),
  indexes: z.array(TableIndex),
  isTenantScoped: z.boolean(),
  isRowSecurityForced: z.boolean(),
  deadRows: count,
  lastVacuumedAt: moment.nullable(),
  lastAnalyzedAt: moment.nullable(),
}).meta({ id: 'CollectionDetail' });
export type CollectionDetail = z.input<typeof CollectionDetail>;

export const DatabaseStats = z
  .object({
    databaseBytes: bytes,
    collections: count,
    ...Rows,
    ...Sizes,
    connections: z.object({ used: count, most: count }),
    schemas: z.array(z.object({ schema: z.string(), collections: count, ...Rows, ...Sizes })),
    measuredAt: moment,
  })
  .meta({ id: 'DatabaseStats' });
export type DatabaseStats = z.input<typeof DatabaseStats>;

export const SchemaTable = z
  .object({
    collectionName,
    columns: z.array(Column),
    primaryKey: z.array(z.string()),
    foreignKeys: z.array(
      z.object({ columns: z.array(z.string()), references: collectionName, onDelete: z.string() }),
    ),
  })
  .meta({ id: 'SchemaTable' });
export type SchemaTable = z.input<typeof SchemaTable>;

export const AppliedMigration = z
  .object({ schema: z.string(), name: z.string(), hash: z.string(), appliedAt: moment })
  .meta({ id: 'AppliedMigration' });
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
    database: Probe,
    reader: Probe.describe('The login that looks at the catalogue.'),
    bus: Probe.describe('Round trips to the server.'),
    stream: Probe.describe('Publications that were acknowledged as durable.'),
    checkedAt: moment,
  })
  .meta({ id: 'DatabaseHealth' });
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
