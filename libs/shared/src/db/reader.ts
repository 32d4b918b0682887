import type pg from 'pg';

/** The login that reads the database's catalogue for operators. */
export const readerRole = 'botyard_reader';

/**
 * Column types that can hold no text: identifiers, timestamps, numbers and booleans. The reader sees only these, so
 * that neither sealed values nor people's words are readable, whatever tables are added.
 */
export const readableTypes = [
  'uuid',
  'timestamptz',
  'date',
  'bool',
  'int2',
  'int4',
  'int8',
  'float8',
] as const;

/**
 * A login without write access. In the services' tables it sees only columns without text. Run after all migrations;
 * safe to repeat.
 */
export async function grantReader(
  client: pg.Client,
  schemas: readonly string[],
  password: string | undefined,
): Promise<void> {
  const login = password === undefined ? '' : `with login password ${client.escapeLiteral(password)}`;
  await client.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = '${readerRole}') then create role ${readerRole} login; end if;
    end $$;
    ${login ? `alter role ${readerRole} ${login};` : ''}
    alter role ${readerRole} set default_transaction_read_only = on;
    alter role ${readerRole} set statement_timeout = '5s';
    alter role ${readerRole} set idle_in_transaction_session_timeout = '5s';
    grant usage on schema app, migrations, ${schemas.join(', ')} to ${readerRole};
    grant select on all tables in schema migrations to ${readerRole};
    revoke all on all tables in schema ${schemas.join(', ')} from ${readerRole};
    do $$ declare readable record; begin
      for readable in
        select format('%I.%I', n.nspname, c.relname) as name, string_agg(format('%I', a.attname), ', ') as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
        where c.relkind in ('r', 'p') and n.nspname in (${schemas.map((name) => `'${name}'`).join(', ')})
          and a.attnum > 0 and not a.attisdropped
          and a.atttypid::regtype::oid in (select oid from pg_type where typnamespace = 'pg_catalog'::regnamespace
            and typname in (${readableTypes.map((name) => `'${name}'`).join(', ')}))
        group by 1
      loop
        execute format('grant select (%s) on %s to ${readerRole}', readable.columns, readable.name);
      end loop;
    end $$;
  `);
}
