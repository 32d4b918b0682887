import pg from 'pg';
import { Column, type GetColumnData } from './drizzle.ts';
import type { Parser } from './wire/prepared.ts';

declare const valueOfSql: unique symbol;

/** SQL that makes a value in a row, and how the value is read. */
interface Expression<Value> {
  readonly [valueOfSql]?: Value;
  readonly sql: string;
  readonly isNullable: boolean;
  /**
   * How a text of the server becomes the value, by the number of its type. `undefined`: values of that type are none.
   */
  parserOf(typeId: number): Parser | undefined;
}

/** A column of a table, or an expression. */
export type Selected = Column | Expression<unknown>;

export type ValueOf<Of extends Selected> = Of extends Column
  ? GetColumnData<Of>
  : Of extends Expression<infer Value>
    ? Value
    : never;

/** As it stands in JSON. */
type InJson<Value> = Value extends Date ? string : Value;

const builtins = pg.types.builtins;
const nameType = 19;
const textTypes = [builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR, builtins.CHAR, nameType];
const nameArray = 1003;
const textArray = 1009;
const uuidArray = 2951;
const numericTypes = [
  builtins.INT2,
  builtins.INT4,
  builtins.INT8,
  builtins.FLOAT4,
  builtins.FLOAT8,
  builtins.NUMERIC,
];
const numericArrays = [1005, 1007, 1016, 1021, 1022, 1231];

const parserOfType = (typeId: number): Parser => pg.types.getTypeParser(typeId, 'text');

const ofTypes = <Value>(sql: string, typeIds: readonly number[], parser?: Parser): Expression<Value> => ({
  sql,
  isNullable: false,
  parserOf: (typeId) => (typeIds.includes(typeId) ? (parser ?? parserOfType(typeId)) : undefined),
});

/** A number of any type, whole or not. */
export const number = (sql: string) => ofTypes<number>(sql, numericTypes, Number);

/**
 * A row of a table of tenants by its whole key, for `from … cross join` or `left join … on true`. `limit` has the row
 * looked up for each key. Joined plainly, a statement that was planned while the table was empty may read all rows of
 * the tenant.
 */
export const rowByKey = (table: string, alias: string, key: Readonly<Record<string, string>>): string => {
  const condition = Object.entries(key).map(([column, value]) => `${column} = ${value}`);
  return `lateral (select * from ${table} where ${condition.join(' and ')} limit 1) ${alias}`;
};

/** How many rows; with a column or an expression, in how many of them it isn't null. */
export const count = (counted = '*') => number(`count(${counted})`);

/** 0 when there are no rows. */
export const sum = (added: string) => number(`coalesce(sum(${added}), 0)`);

/** How many rows a query finds, which begins with `from`. */
export const countOf = (query: string) => number(`(select count(*) ${query})`);

export const boolean = (sql: string) => ofTypes<boolean>(sql, [builtins.BOOL]);

/** Whether a query, which begins with `from`, finds a row. */
export const exists = (query: string) => boolean(`exists (select ${query})`);

/** A text or an identifier. */
export const text = (sql: string) => ofTypes<string>(sql, [...textTypes, builtins.UUID]);

/** One of these words, which is looked at in every row. */
export function oneOf<const Word extends string>(words: readonly Word[], sql: string): Expression<Word> {
  const parse = (word: string) => {
    if (words.includes(word as Word)) return word;
    throw new Error(`"${word}" is none of ${words.join(', ')}`);
  };
  return ofTypes<Word>(sql, textTypes, parse);
}

export const moment = (sql: string) => ofTypes<Date>(sql, [builtins.TIMESTAMPTZ]);

/** An array of texts or identifiers. */
export const texts = (sql: string) => ofTypes<string[]>(sql, [textArray, uuidArray, nameArray]);

export const numbers = (sql: string) => ofTypes<number[]>(sql, numericArrays);

/** An object of JSON; nothing is known of what is in it. */
export const jsonObject = (sql: string) =>
  ofTypes<Record<string, unknown>>(sql, [builtins.JSON, builtins.JSONB], (json) => {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new Error('the value is no object');
  });

/** An expression of a column's type: the column by another path, its minimum, one of two. Null as the column is. */
export function like<Of extends Column>(column: Of, sql: string): Expression<GetColumnData<Of>> {
  return { ...expressionOf(column), sql } as Expression<GetColumnData<Of>>;
}

/** An expression that an outer join, an empty aggregate or a `case` may leave null. */
export function orNull<Of extends Selected>(selected: Of): Expression<ValueOf<Of> | null> {
  return { ...expressionOf(selected), isNullable: true } as Expression<ValueOf<Of> | null>;
}

/** An expression that can't be null in the statement's rows; checked in every row. */
export function notNull<Of extends Selected>(selected: Of): Expression<NonNullable<ValueOf<Of>>> {
  return { ...expressionOf(selected), isNullable: false } as Expression<NonNullable<ValueOf<Of>>>;
}

/** An object that Postgres makes: of columns and expressions, under these names. Moments are texts in it. */
export class JsonShape<Value> {
  declare readonly [valueOfSql]: Value;
  readonly #sql: string;

  constructor(parts: Readonly<Record<string, Selected>>) {
    const named = Object.entries(parts).map(([name, part]) => `'${name}', ${expressionOf(part).sql}`);
    this.#sql = `json_build_object(${named.join(', ')})`;
  }

  toString(): string {
    return this.#sql;
  }
}

export const shape = <const Parts extends Readonly<Record<string, Selected>>>(parts: Parts) =>
  new JsonShape<{ -readonly [Name in keyof Parts]: InJson<ValueOf<Parts[Name]>> }>(parts);

const asJson = <Value>(sql: string) => ofTypes<Value>(sql, [builtins.JSON, builtins.JSONB]);

/** One object of this shape; without `sql` the object itself. */
export const one = <Value>(of: JsonShape<Value>, sql = String(of)) => asJson<Value>(sql);

type WithoutNulls<Value> = {
  [Name in keyof Value as null extends Value[Name] ? never : Name]: Value[Name];
} & { [Name in keyof Value as null extends Value[Name] ? Name : never]?: NonNullable<Value[Name]> };

/** An object of this shape in which nothing is null. `sql` makes it, as with `json_strip_nulls`. */
export const withoutNulls = <Value>(_of: JsonShape<Value>, sql: string) => asJson<WithoutNulls<Value>>(sql);

/** Objects of this shape. `sql` makes the list, as with `json_agg`. */
export const listOf = <Value>(_of: JsonShape<Value>, sql: string) => asJson<Value[]>(sql);

/** All objects of this shape that a query finds, which begins with `from`; `order` is the text after `order by`. */
export const allOf = <Value>(of: JsonShape<Value>, from: string, order?: string) =>
  listOf(of, `(select coalesce(json_agg(${of}${order ? ` order by ${order}` : ''}), '[]') ${from})`);

const isAliased = Symbol.for('drizzle:IsAlias');
const tableName = Symbol.for('drizzle:Name');

/** `name`, or `alias.name` of a table that `alias` has named anew. */
function nameOf(column: Column): string {
  const table = column.table as unknown as { [isAliased]: boolean; [tableName]: string };
  return table[isAliased] ? `${table[tableName]}.${column.name}` : column.name;
}

export function expressionOf(selected: Selected): Expression<unknown> {
  if (!(selected instanceof Column)) return selected;
  return {
    sql: nameOf(selected),
    isNullable: !selected.notNull,
    parserOf: (typeId) => parserOfColumn(selected, typeId),
  };
}

/** As drizzle reads it, but for texts in JSON, which it takes for JSON again. */
function parserOfColumn(column: Column, typeId: number): Parser {
  if (typeId === builtins.DATE) return (date) => column.mapFromDriverValue(date);
  const parse = parserOfType(typeId);
  if (typeId === builtins.JSONB || typeId === builtins.JSON) return parse;
  if (column.mapFromDriverValue === Column.prototype.mapFromDriverValue) return parse;
  return (text) => column.mapFromDriverValue(parse(text));
}
