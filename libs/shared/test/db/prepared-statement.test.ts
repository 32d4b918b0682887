import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import type { Statement } from '@botyard/shared/db/statement';
import { expect, test } from 'vitest';

/** A transaction that answers every statement with one row. */
function recordingTx() {
  const statements: Statement[] = [];
  const query = (statement: Statement) => Promise.resolve([{ sent: statements.push(statement) }]);
  return { tx: { query } as unknown as TenantTx, statements };
}

const end = preparedStatement({
  name: 'test.end',
  text: 'select',
  values: (ids: readonly string[], reason: string) => ({ ids, reason }),
  result: (rows) => rows.length,
});

test('a statement gets the values of its input, and its caller what it makes of the rows', async () => {
  const { tx, statements } = recordingTx();
  expect(await end(tx, ['one', 'two'], 'stopped')).toBe(1);
  const values = { ids: ['one', 'two'], reason: 'stopped' };
  expect(statements).toEqual([{ name: 'test.end', text: 'select', values }]);
});

test('a statement whose lists are all empty is not sent, and has no rows', async () => {
  const { tx, statements } = recordingTx();
  const save = preparedStatement({
    name: 'test.save',
    text: 'select',
    values: (rows: readonly string[], others: readonly string[]) => [rows, others],
  });
  expect([await end(tx, [], 'stopped'), await save(tx, [], [])]).toEqual([0, []]);
  expect(statements).toEqual([]);
  await save(tx, [], ['other']);
  expect(statements).toHaveLength(1);
});

test('a statement without lists is always sent', async () => {
  const { tx, statements } = recordingTx();
  await preparedStatement({ name: 'test.all', text: 'select', values: () => [] })(tx);
  await preparedStatement({ name: 'test.one', text: 'select', values: (id: string) => [id] })(tx, 'one');
  expect(statements).toHaveLength(2);
});
