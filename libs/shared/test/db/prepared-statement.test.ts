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

test('for an empty list nothing is sent, and there are no rows', async () => {
  const { tx, statements } = recordingTx();
  expect(await end(tx, [], 'stopped')).toBe(0);
  expect(statements).toEqual([]);
});

test('a list that is only one of the values may be empty', async () => {
  const { tx, statements } = recordingTx();
  const save = preparedStatement({
    name: 'test.save',
    text: 'select',
    values: ({ topics }: { topics: readonly string[] }) => ({ topics }),
  });
  expect(await save(tx, { topics: [] })).toHaveLength(1);
  expect(statements).toHaveLength(1);
});
