import { createRequire } from 'node:module';
import type { Column as DrizzleColumn, Table as DrizzleTable } from 'drizzle-orm';
import { toJson } from './to-json.ts';

/**
 * The only place that loads drizzle-orm: its ESM build costs every process about 200 MB and half a second,
 * its CommonJS build a tenth of that (docs/decisions/0003-postgres-and-drizzle.md).
 */
const load = createRequire(import.meta.url);
const core = load('drizzle-orm') as typeof import('drizzle-orm');
const pgCore = load('drizzle-orm/pg-core') as typeof import('drizzle-orm/pg-core');
const nodePostgres = load('drizzle-orm/node-postgres') as typeof import('drizzle-orm/node-postgres');

pgCore.PgJsonb.prototype.mapToDriverValue = toJson;

export const {
  and,
  arrayContains,
  arrayOverlaps,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} = core;
export const {
  alias,
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  getTableConfig,
  index,
  integer,
  jsonb,
  pgPolicy,
  pgSchema,
  PgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = pgCore;
export const { drizzle } = nodePostgres;
export const { Column, Table } = core;
export type Column = DrizzleColumn;
export type Table = DrizzleTable;
export type { BuildExtraConfigColumns, GetColumnData, SQL } from 'drizzle-orm';
export type { NodePgDatabase } from 'drizzle-orm/node-postgres';
export type {
  AnyPgColumn,
  PgColumnBuilderBase,
  PgSchema,
  PgTableExtraConfigValue,
} from 'drizzle-orm/pg-core';
