import type { Installation } from '../../rig/installation.ts';

interface Table {
  table_schema: string;
  table_name: string;
}

/** Returns the numbers of the deliveries with data in any table of any service. */
export async function storedNumbers({ system }: Installation, run: string): Promise<Set<number>> {
  const tables = await system.asOwner<Table>(
    `select table_schema, table_name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const numbers = new Set<number>();
  for (const { table_schema, table_name } of tables) {
    const rows = await system.asOwner<{ number: string }>(
      `select distinct (regexp_matches(t::text, 'zm${run}n(\\d+)e', 'g'))[1] as number
       from "${table_schema}"."${table_name}" t`,
    );
    for (const { number } of rows) numbers.add(Number(number));
  }
  return numbers;
}

/** Describes the number of dead letters by service. */
export async function deadLetters({ system }: Installation): Promise<string> {
  const counts = [];
  for (const service of ['tenancy', 'keys', 'usage', 'webhooks', 'agents']) {
    const [row] = await system.asOwner<{ count: string }>(`select count(*) from ${service}.dead_letters`);
    counts.push(`${service} ${row?.count}`);
  }
  const [row] = await system.asOwner<{ count: string }>(
    'select count(*) from agents.messages where dead_at is not null',
  );
  return `${counts.join(', ')}; messages ${row?.count}`;
}
