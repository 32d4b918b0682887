import type { TenantTx } from './database.ts';
import type { Statement } from './statement.ts';
import type { TypedSql } from './typed-sql.ts';

interface Definition<Input extends unknown[], Row, Result> {
  name: string;
  text: string | TypedSql<Row>;
  /** The values of the statement, most often `unnest(…).values(rows)`. */
  values: (...input: Input) => Statement['values'];
  /** Makes the result of the rows, for this input; by default it is the rows. */
  result?: (rows: NoInfer<Row>[], ...input: Input) => Result;
}

/**
 * A prepared statement as a function of its input. If all lists among its values are empty, nothing is sent, as if
 * there were no rows.
 */
export function preparedStatement<Input extends unknown[], Row, Result = Row[]>({
  name,
  text,
  values: valuesOf,
  result,
}: Definition<Input, Row, Result>): (tx: TenantTx, ...input: Input) => Promise<Result> {
  return async (tx, ...input) => {
    const values = valuesOf(...input);
    const lists = Object.values(values).filter((value) => Array.isArray(value));
    const isEmpty = lists.length > 0 && lists.every((list) => list.length === 0);
    const statement: Statement<string | TypedSql<Row>> = { name, text, values };
    const rows = isEmpty ? [] : await tx.query(statement);
    return result ? result(rows, ...input) : (rows as Result);
  };
}
