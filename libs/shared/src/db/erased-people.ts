import { moment, tenantTables } from './columns.ts';
import type { AnyTx } from './database.ts';
import { type pgSchema, uuid } from './drizzle.ts';
import { number } from './expressions.ts';
import { failingIfAny } from './failing-if-any.ts';
import { unnest } from './named-values.ts';
import { columns, inSchemas, typedSql } from './typed-sql.ts';

/**
 * Erased people, by the hashed identifier that they have in a tenant, in the schema of every service that stores
 * people's words. A message from before the erasure that arrives late, or again, restores nothing.
 */
export const erasedPeopleTable = (schema: ReturnType<typeof pgSchema>) =>
  tenantTables(schema)('erased_people', ['personId'], {
    personId: uuid('person_id').notNull(),
    erasedBefore: moment('erased_before').notNull(),
  });

interface ErasedPeople {
  tenantId: string;
  personIds: readonly string[];
  erasedBefore: Date;
}

/** Inserts erasures; if a person was erased twice, the later one counts. */
export async function insertErasedPeople(tx: AnyTx, schema: string, erased: ErasedPeople): Promise<void> {
  await tx.query({
    name: `${schema}.erased_people.put`,
    text: `insert into ${schema}.erased_people as e (tenant_id, person_id, erased_before)
           select $1, p, $3 from unnest($2::uuid[]) as p order by 2
           on conflict (tenant_id, person_id) do update set erased_before = greatest(e.erased_before, excluded.erased_before)`,
    values: [erased.tenantId, erased.personIds, erased.erasedBefore],
  });
}

/** The author and the time of a person's message. */
export interface Said {
  tenantId: string;
  personId: string;
  saidAt: string | Date;
}

const words = unnest('words', { tenantId: 'uuid', personId: 'uuid', saidAt: 'timestamptz' });
const amongText = inSchemas(
  (schema) => typedSql`select ${columns({ place: number('ordinality - 1') })}
    from ${words.numbered}
    join ${schema}.erased_people e on e.tenant_id = words.tenant_id and e.person_id = words.person_id
      and said_at <= e.erased_before`,
);

/** Indexes of the entries whose author was erased since. */
export async function findErased(tx: AnyTx, schema: string, said: readonly Said[]): Promise<Set<number>> {
  if (said.length === 0) return new Set();
  const rows = await tx.query({
    name: `${schema}.erased_people.among`,
    text: amongText(schema),
    values: words.values(said),
  });
  return new Set(rows.map(({ place }) => place));
}

const noneText = inSchemas((schema) => failingIfAny(schema, amongText(schema)));

/** Fails the transaction if the author of one of them was erased since. */
export async function requireUnerased(tx: AnyTx, schema: string, said: readonly Said[]): Promise<void> {
  await tx.query({
    name: `${schema}.erased_people.none`,
    text: noneText(schema),
    values: words.values(said),
  });
}
