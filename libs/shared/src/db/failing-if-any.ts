import type { TypedSql } from './typed-sql.ts';

/**
 * A statement that fails the transaction if the other one finds a row, so that the caller need not wait for the result
 * of a check: it marks an event of null as handled (see `isNullOf`).
 */
export const failingIfAny = (schema: string, { text }: TypedSql<unknown>): string =>
  `insert into ${schema}.inbox (event_id) select null from (${text}) unwanted`;
