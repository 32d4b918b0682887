import { join } from 'node:path';
import { getTableConfig, PgTable } from '@botyard/shared/db/drizzle';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { filesAt, root, serviceOf } from '../support/sources.ts';
import type { AsyncCheck } from './check.ts';

const columnsQuery = `
  select n.nspname || '.' || c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as "isRequired"
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname = any ($1) and a.attnum > 0 and not a.attisdropped`;

interface MigratedColumn {
  name: string;
  type: string;
  isRequired: boolean;
}

/** The drizzle tables beside the migrated database: statements and the types of rows follow from the tables. */
export function columnChecks(harness: () => ServiceHarness): readonly AsyncCheck[] {
  return [
    {
      rule: 'every column of a table in code has been migrated: `npm run migration -- <service> <what>` writes what is missing',
      faults: async () => {
        const columns = await harness().asOwner<MigratedColumn>(columnsQuery, [servicesWithSchema]);
        const migrated = new Map(columns.map(({ name, ...column }) => [name, describe(column)]));
        const inCode = await columnsInCode();
        return inCode
          .filter(({ name, column }) => migrated.get(name) !== column)
          .map(
            ({ file, name, column }) =>
              `${file}: ${name} is ${column}, in the database it is ${migrated.get(name) ?? 'missing'}`,
          );
      },
    },
  ];
}

async function columnsInCode() {
  const files = filesAt(/^services\/\w+\/src\/store\/.*schema\.ts$/);
  const loaded = await Promise.all(
    files.map(async ({ path }) => ({ path, exports: (await import(join(root, path))) as object })),
  );
  return loaded.flatMap(({ path, exports }) =>
    Object.values(exports)
      .filter((value) => value instanceof PgTable)
      .map((table) => getTableConfig(table))
      .flatMap(({ schema = serviceOf(path), name: table, columns }) =>
        columns.map((column) => ({
          file: path,
          name: `${schema}.${table}.${column.name}`,
          column: describe({ type: column.getSQLType(), isRequired: column.notNull }),
        })),
      ),
  );
}

const describe = ({ type, isRequired }: Omit<MigratedColumn, 'name'>): string =>
  `${type.replaceAll(' ', '')}${isRequired ? ' not null' : ''}`;
