import pg from 'pg';
import { Column, type GetColumnData } from './drizzle.ts';
import type { Parser } from './wire/prepared.ts';

declare const valueOfSql: unique symbol;

/** An SQL expression for a value in a row, and how the value is parsed. */
interface Expression<Value> {
  readonly [valueOfSql]?: Value;
  readonly sql: string;
  readonly isNullable: boolean;
  /**
   * Returns the parser for the server's text of a type, by the type's number; `undefined` if the expression can't
   * have that type.
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

/** A value's form in JSON. */
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

/** The number of rows; with a column or an expression, the number of rows in which it isn't null. */
export const count = (counted = '*') => number(`count(${counted})`);

/** 0 when there are no rows. */
export const sum = (added: string) => number(`coalesce(sum(${added}), 0)`);

/** The number of rows that a query finds. The query starts with `from`. */
export const countOf = (query: string) => number(`(select count(*) ${query})`);

export const boolean = (sql: string) => ofTypes<boolean>(sql, [builtins.BOOL]);

/** Whether a query finds a row. The query starts with `from`. */
export const exists = (query: string) => boolean(`exists (select ${query})`);

/** A text or an identifier. */
export const text = (sql: string) => ofTypes<string>(sql, [...textTypes, builtins.UUID]);

/** One of these words, checked in every row. */
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

/** A JSON object of unknown content. */
export const jsonObject = (sql: string) =>
  ofTypes<Record<string, unknown>>(sql, [builtins.JSON, builtins.JSONB], (json) => {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new Error('the value is no object');
  });

/**
 * An expression of a column's type, such as the column by another path, its minimum, or one of two columns. Nullable
 * if the column is.
 */
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

/** A JSON object that Postgres builds from columns and expressions, under these names. Timestamps are texts in it. */
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

/** One object of this shape. Without `sql`, the shape's own object. */
export const one = <Value>(of: JsonShape<Value>, sql = String(of)) => asJson<Value>(sql);

type WithoutNulls<Value> = {
  [Name in keyof Value as null extends Value[Name] ? never : Name]: Value[Name];
} & { [Name in keyof Value as null extends Value[Name] ? Name : never]?: NonNullable<Value[Name]> };

/** An object of this shape without null values. `sql` builds it, for example with `json_strip_nulls`. */
export const withoutNulls = <Value>(_of: JsonShape<Value>, sql: string) => asJson<WithoutNulls<Value>>(sql);

/** A list of objects of this shape. `sql` builds it, for example with `json_agg`. */
export const listOf = <Value>(_of: JsonShape<Value>, sql: string) => asJson<Value[]>(sql);

/** All objects of this shape that a query finds. The query starts with `from`; `order` is the text after `order by`. */
export const allOf = <Value>(of: JsonShape<Value>, from: string, order?: string) =>
  listOf(of, `(select coalesce(json_agg(${of}${order ? ` order by ${order}` : ''}), '[]') ${from})`);

const isAliased = Symbol.for('drizzle:IsAlias');
const tableName = Symbol.for('drizzle:Name');

/** `name`, or `alias.name` if the table is an alias. */
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

/** The parser that drizzle uses, except for texts in JSON, which drizzle would parse as JSON again. */
function parserOfColumn(column: Column, typeId: number): Parser {
  if (typeId === builtins.DATE) return (date) => column.mapFromDriverValue(date);
  const parse = parserOfType(typeId);
  if (typeId === builtins.JSONB || typeId === builtins.JSON) return parse;
  if (column.mapFromDriverValue === Column.prototype.mapFromDriverValue) return parse;
  return (text) => column.mapFromDriverValue(parse(text));
}
