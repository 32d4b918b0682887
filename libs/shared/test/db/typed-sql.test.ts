import { createDatabase, type Database, withPlatform } from '@botyard/shared/db/database';
import {
  alias,
  bigint,
  date,
  pgSchema,
  text as textColumn,
  timestamp,
  uuid,
} from '@botyard/shared/db/drizzle';
import {
  allOf,
  boolean,
  count,
  exists,
  like,
  moment,
  number,
  numbers,
  oneOf,
  orNull,
  shape,
  sum,
  text,
  texts,
  withoutNulls,
} from '@botyard/shared/db/expressions';
import { askOn } from '@botyard/shared/db/own-connection';
import { columns, inSchemas, type Selection, typedSql } from '@botyard/shared/db/typed-sql';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';

const things = pgSchema('shelf').table('things', {
  thingId: uuid('thing_id').primaryKey(),
  heldUntil: timestamp('held_until', { withTimezone: true, precision: 3 }),
  weightGrams: bigint('weight_grams', { mode: 'number' }).notNull(),
  madeOn: date('made_on').notNull(),
  labels: textColumn().array().notNull(),
});
const id = '01920000-0000-7000-8000-000000000200';
const thing = {
  thingId: id,
  heldUntil: new Date('2026-11-26T10:00:00.123Z'),
  weightGrams: 5_000_000_000,
  madeOn: '2026-03-29',
  labels: ['old', 'red'],
};
const row = `(values ('${id}'::uuid, timestamptz '2026-11-26 10:00:00.123Z', 5000000000::bigint, date '2026-03-29', array['old', 'red']))
  as t (thing_id, held_until, weight_grams, made_on, labels)`;

let harness: ServiceHarness;
let database: Database;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-typed-sql',
    maxConnections: 1,
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});

let statements = 0;
async function ask<Row>(selection: Selection<Row>, from = `from ${row}`): Promise<Row> {
  statements += 1;
  const statement = { name: `test.${statements}`, text: typedSql`select ${selection} ${from}`, values: [] };
  // The second answer is parsed by the cached description of the first.
  const answers = await withPlatform(database, 'test', async (tx) => [
    await tx.query(statement),
    await tx.query(statement),
  ]);
  expect(answers[1]).toEqual(answers[0]);
  return answers[0]![0]!;
}

test('a row has the columns of its table, by their names there, with their types', async () => {
  const selectedRow = await ask(columns(things));
  expectTypeOf(selectedRow).toEqualTypeOf<typeof things.$inferSelect>();
  expect(selectedRow).toEqual(thing);
});

test('a selection can rename columns, also those of an aliased table', async () => {
  const t = alias(things, 't');
  const selection = columns({ id: t.thingId, order: things.madeOn });
  expect(String(selection)).toBe('t.thing_id as "id", made_on as "order"');
  expectTypeOf(await ask(selection)).toEqualTypeOf<{ id: string; order: string }>();
  expect(await ask(selection)).toEqual({ id, order: '2026-03-29' });
});

test('an expression is parsed as its declared type', async () => {
  const label = shape({ id: things.thingId, label: text('label'), heldUntil: things.heldUntil });
  const held = shape({ label: text(`'old'`), heldUntil: orNull(text('null::text')) });
  const selectedRow = await ask(
    columns({
      count: count(),
      weight: sum('weight_grams'),
      half: number('0.5::numeric'),
      isHeld: boolean('bool_or(held_until is not null)'),
      isThere: exists('from pg_class'),
      day: text('min(made_on)::text'),
      kind: oneOf(['book', 'box'], `'box'`),
      heldUntil: moment('max(held_until)'),
      least: like(things.weightGrams, 'min(weight_grams)'),
      name: orNull(text('max(null::text)')),
      names: texts(`array_agg(labels[1])`),
      shares: numbers('array[0.5, 0.25]::float8[]'),
      held: withoutNulls(held, `json_strip_nulls(${held})`),
      labels: allOf(label, `from ${row} cross join unnest(labels) as label`, 'label'),
    }),
  );
  expectTypeOf(selectedRow.kind).toEqualTypeOf<'book' | 'box'>();
  expectTypeOf(selectedRow.name).toEqualTypeOf<string | null>();
  expectTypeOf(selectedRow.held).toExtend<{ label: string; heldUntil?: string }>();
  expectTypeOf(selectedRow.labels).toEqualTypeOf<{ id: string; label: string; heldUntil: string | null }[]>();
  expect(selectedRow).toEqual({
    count: 1,
    weight: 5_000_000_000,
    half: 0.5,
    isHeld: true,
    isThere: true,
    day: '2026-03-29',
    kind: 'box',
    heldUntil: thing.heldUntil,
    least: 5_000_000_000,
    name: null,
    names: ['old'],
    shares: [0.5, 0.25],
    held: { label: 'old' },
    labels: ['old', 'red'].map((label) => ({ id, label, heldUntil: expect.stringContaining('2026-11-26T') })),
  });
});

test.each([
  ['a null where the type has none', columns({ name: text('null::text') }), '"name" is null'],
  ['a null in a column that has none', columns({ id: like(things.thingId, 'null::uuid') }), '"id" is null'],
  ['a value of another type', columns({ isHeld: boolean('1') }), '"isHeld" is of type 23'],
  ['a word that is none of those', columns({ kind: oneOf(['book'], `'box'`) }), '"box" is none of book'],
])('%s fails the statement and not the process', async (_, selection, fault) => {
  await expect(ask<unknown>(selection)).rejects.toThrow(fault);
  expect(await ask(columns({ count: count() }))).toEqual({ count: 1 });
});

test('a statement that answers with other columns fails', async () => {
  const selection = columns({ id: things.thingId });
  await expect(ask(selection, `, 1 as more from ${row}`)).rejects.toThrow('"more" is not selected');
  const hidden = typedSql`with t as (select ${selection} from ${row}) select 1 as one from t`;
  await expect(
    withPlatform(database, 'test', (tx) => tx.query({ name: 'test.hidden', text: hidden, values: [] })),
  ).rejects.toThrow('the statement answers without id');
});

test('a text without a selection, or with two, is refused when it is made', () => {
  expect(() => typedSql`select 1`).toThrow('a statement has one selection');
  const two = [columns({ one: count() }), columns({ other: count() })] as const;
  expect(() => typedSql`select ${two[0]}, ${two[1]}`).toThrow('a statement has one selection');
  expect(typedSql`select ${two[0]} union all select ${two[0]}`.text).toBe(
    'select count(*) as "one" union all select count(*) as "one"',
  );
});

test('a text for any schema is made once for each', () => {
  const textOf = inSchemas((schema) => typedSql`select ${columns({ count: count() })} from ${schema}.outbox`);
  expect(textOf('keys').text).toBe('select count(*) as "count" from keys.outbox');
  expect(textOf('usage')).not.toBe(textOf('keys'));
  expect(textOf('keys')).toBe(textOf('keys'));
});

test('on a connection of the driver rows are read and looked at alike', async () => {
  const client = await database.acquire();
  try {
    const thingColumns = columns({
      id: things.thingId,
      weight: things.weightGrams,
      heldUntil: things.heldUntil,
    });
    const { heldUntil, weightGrams: weight } = thing;
    const byId = typedSql`select ${thingColumns} from ${row} where thing_id = $1`;
    expect(await askOn(client, byId, [id])).toEqual([{ id, weight, heldUntil }]);
    const nothing = typedSql`select ${columns({ name: text('null::text') })}`;
    await expect(askOn(client, nothing)).rejects.toThrow('"name" is null');
  } finally {
    client.release();
  }
});
