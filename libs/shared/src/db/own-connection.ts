import type pg from 'pg';
import { text } from './expressions.ts';
import { columns, type TypedSql, typedSql } from './typed-sql.ts';
import { rowOf } from './wire/exchange.ts';

const asTexts = { getTypeParser: () => (text: string) => text };

/**
 * Queries a connection of the driver, for use before there is a `Database`.
 * @throws if the rows don't match the selection.
 */
export async function askOn<Row>(
  client: pg.ClientBase,
  statement: TypedSql<Row>,
  values: unknown[] = [],
): Promise<Row[]> {
  const question = { text: statement.text, values, rowMode: 'array', types: asTexts } as const;
  const { fields, rows } = await client.query(question);
  const read = statement.row.columnsOf(fields);
  return rows.map((texts) => rowOf(texts, read) as Row);
}

const readOnlyText = typedSql`select ${columns({ isReadOnly: text("current_setting('transaction_read_only')") })}`;

/** Whether the server accepts no writes. Releases the connection. */
export async function isReadOnly(client: pg.PoolClient): Promise<boolean> {
  let failure: Error | undefined;
  try {
    const [found] = await askOn(client, readOnlyText);
    return found?.isReadOnly !== 'off';
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}
