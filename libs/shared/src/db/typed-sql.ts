import { getTableColumns, Table } from './drizzle.ts';
import { expressionOf, type JsonShape, type Selected, type ValueOf } from './expressions.ts';
import type { Rows } from './named-values.ts';
import type { Columns, Field, RowDescription } from './wire/prepared.ts';

declare const rowOfSql: unique symbol;

/** The text of a statement whose row type is known. */
export interface TypedSql<Row> {
  readonly [rowOfSql]?: Row;
  readonly text: string;
  readonly row: RowDescription;
}

/** Columns by name; `undefined` ones are left out. */
type Parts = Readonly<Record<string, Selected | undefined>>;
type RowOfParts<Of extends Parts> = {
  -readonly [Name in keyof Of]: ValueOf<Extract<Of[Name], Selected>>;
};

/** The rows of a selection or a statement, or the objects of a shape. */
export type RowOf<Of> =
  Of extends Selection<infer Row>
    ? Row
    : Of extends TypedSql<infer Row>
      ? Row
      : Of extends JsonShape<infer Value>
        ? Value
        : never;

/**
 * The columns of a statement's result. In the statement's text it is the select list; each column has its name in the
 * row. The row's type and its parsers are derived from it.
 */
export class Selection<Row> implements RowDescription {
  declare readonly [rowOfSql]: Row;
  readonly #parts: ReadonlyMap<string, ReturnType<typeof expressionOf>>;
  readonly #list: string;

  constructor(parts: Parts) {
    const named = Object.entries(parts).flatMap(([name, part]) =>
      part ? [[name, expressionOf(part)] as const] : [],
    );
    this.#parts = new Map(named);
    this.#list = named.map(([name, { sql }]) => `${sql} as "${name}"`).join(', ');
  }

  toString(): string {
    return this.#list;
  }

  columnsOf(fields: readonly Field[]): Columns {
    const names = fields.map(({ name }) => name);
    const missing = [...this.#parts.keys()].filter((name) => !names.includes(name));
    if (missing.length > 0) throw new Error(`the statement answers without ${missing.join(', ')}`);
    const parts = fields.map(({ name, dataTypeID }) => {
      const part = this.#parts.get(name);
      const parse = part?.parserOf(dataTypeID);
      if (!part || !parse) throw new Error(`"${name}" is ${part ? `of type ${dataTypeID}` : 'not selected'}`);
      return { parse, isRequired: !part.isNullable };
    });
    return {
      names,
      parsers: parts.map(({ parse }) => parse),
      required: parts.map(({ isRequired }) => isRequired),
    };
  }
}

/** All columns of a table, or some columns and expressions by their names in the row. */
export function columns<Of extends Table>(table: Of): Selection<Of['$inferSelect']>;
export function columns<const Of extends Parts>(parts: Of): Selection<RowOfParts<Of>>;
export function columns(of: Table | Parts): Selection<unknown> {
  return new Selection(of instanceof Table ? getTableColumns(of) : of);
}

/** Some columns of a table or of an alias. */
export const pick = <Of extends object, Name extends keyof Of>(of: Of, ...names: Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>;

/**
 * The text of a statement that contains the selection of its rows: `select ${columns({ botId: bots.botId, count:
 * count() })} from ...`. Other parts are inserted unchanged: only constants, never input, which is always a parameter
 * (`$1`).
 */
export function typedSql<
  const Of extends readonly (string | number | Selection<unknown> | JsonShape<unknown> | Rows<string>)[],
>(texts: TemplateStringsArray, ...parts: Of): TypedSql<RowOf<Extract<Of[number], Selection<unknown>>>> {
  const [row, ...others] = new Set(parts.filter((part) => part instanceof Selection));
  if (!row || others.length > 0) throw new Error('a statement has one selection');
  return { row, text: String.raw({ raw: texts }, ...parts) };
}

/** The text of a statement in each schema, created once: for shared code that runs with every message. */
export function inSchemas<Text extends string | TypedSql<unknown>>(
  textOf: (schema: string) => Text,
): (schema: string) => Text {
  const texts = new Map<string, Text>();
  return (schema) => {
    const text = texts.get(schema) ?? textOf(schema);
    texts.set(schema, text);
    return text;
  };
}
