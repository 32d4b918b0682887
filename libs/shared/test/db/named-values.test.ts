import { jsonb, pgSchema, timestamp, uuid } from '@botyard/shared/db/drizzle';
import { namedRow, unnest } from '@botyard/shared/db/named-values';
import { toNumbered } from '@botyard/shared/db/statement';
import { expect, test } from 'vitest';

const things = pgSchema('shelf').table('things', {
  thingId: uuid('thing_id').primaryKey(),
  heldUntil: timestamp('held_until', { withTimezone: true, precision: 3 }),
  content: jsonb(),
});

test('names become numbers, each once, in the order of the text', () => {
  const text =
    'update shelf.things set size = $size where (thing_id, room) = ($thingId, $room) and $room > $size';
  expect(toNumbered({ text, values: { thingId: 'a', room: 7, size: null } })).toEqual({
    text: 'update shelf.things set size = $1 where (thing_id, room) = ($2, $3) and $3 > $1',
    values: [null, 'a', 7],
  });
});

test('a name without a value and a value without a name are refused, and numbers stay unchanged', () => {
  const text = 'select $room';
  expect(() => toNumbered({ text, values: {} })).toThrow('the statement has no value for $room');
  expect(() => toNumbered({ text, values: { room: undefined } })).toThrow('no value for $room');
  expect(() => toNumbered({ text, values: { room: 1, size: 2 } })).toThrow('the statement has no $size');
  expect(toNumbered({ text: 'select $1', values: [1] })).toEqual({ text: 'select $1', values: [1] });
});

test('rows become an array for each column, with the types and names of the table', () => {
  const { thingId, heldUntil, content } = things;
  const rows = unnest('added', { thingId, heldUntil, content, isNew: 'boolean' });
  expect(rows.columns).toBe('thing_id, held_until, content, is_new');
  expect(`${rows}`).toBe(
    'unnest($thingId::uuid[], $heldUntil::timestamp (3) with time zone[], $content::jsonb[], $isNew::boolean[]) as added (thing_id, held_until, content, is_new)',
  );
  expect(rows.numbered).toMatch(
    /\) with ordinality as added \(thing_id, held_until, content, is_new, ordinality\)$/,
  );
  expect(rows.ofFewRows).toContain('($isNew::boolean[])[place] as is_new');
  const thing = { thingId: 'a', heldUntil: null, content: { text: 'half \ud800' }, isNew: true, more: 1 };
  expect(rows.values([thing, { ...thing, content: null }])).toEqual({
    thingId: ['a', 'a'],
    heldUntil: [null, null],
    isNew: [true, true],
    content: ['{"text":"half \ufffd"}', null],
  });
  expect(rows.values([])).toEqual({ thingId: [], heldUntil: [], content: [], isNew: [] });
});

test('one row is a value for each column, with the types and names of the table', () => {
  const { thingId, content } = things;
  const row = namedRow({ thingId, content });
  expect(row).toMatchObject({
    columns: 'thing_id, content',
    values: '$thingId::uuid, $content::jsonb',
    excluded: 'thing_id = excluded.thing_id, content = excluded.content',
  });
  const thing = { thingId: 'a', content: { text: 'half \ud800' }, more: 1 };
  expect(row.valuesOf(thing)).toEqual({ thingId: 'a', content: '{"text":"half \ufffd"}' });
  expect(row.valuesOf({ ...thing, content: null })).toEqual({ thingId: 'a', content: null });
});
