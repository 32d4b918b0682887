import type { TenantTx } from './database.ts';
import type { Statement } from './statement.ts';
import type { TypedSql } from './typed-sql.ts';

/** Rows of a text without a selection are of no use. */
type RowsOf<Row> = unknown extends Row ? void : Row[];

interface Definition<Input extends unknown[], Row, Result> {
  name: string;
  text: string | TypedSql<Row>;
  /** The values of the statement, most often `unnest(…).values(rows)`. */
  values: (...input: Input) => Statement['values'];
  /** Makes the result of the rows, for this input; by default it is the rows. */
  result?: (rows: NoInfer<Row>[], ...input: Input) => Result;
}

/**
 * A prepared statement as a function of its input. If its first argument is an empty list, nothing is sent, and there
 * are no rows.
 */
export function preparedStatement<Input extends unknown[], Row, Result = RowsOf<Row>>({
  name,
  text,
  values,
  result,
}: Definition<Input, Row, Result>): (tx: TenantTx, ...input: Input) => Promise<Result> {
  return async (tx, ...input) => {
    const [first] = input;
    const isEmpty = Array.isArray(first) && first.length === 0;
    const rows = isEmpty ? [] : await tx.query({ name, text, values: values(...input) });
    return result ? result(rows, ...input) : (rows as Result);
  };
}
