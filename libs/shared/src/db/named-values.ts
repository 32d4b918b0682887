import type { Column } from './drizzle.ts';
import { toJson } from './to-json.ts';

/** Values of a statement by their names in its text, as in `where bot_id = $botId`. */
export type NamedValues = Readonly<Record<string, unknown>>;

export const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const jsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : toJson(value);

/** Rows that are passed to a statement as one array per column. */
export class Rows<Name extends string> {
  /** The columns' names, as for `select` and `insert into`. */
  readonly columns: string;
  readonly #alias: string;
  readonly #columns: readonly { name: Name; column: string; type: string }[];

  constructor(alias: string, columns: Readonly<Record<Name, string | Column>>) {
    this.#columns = (Object.entries(columns) as [Name, string | Column][]).map(([name, of]) =>
      typeof of === 'string'
        ? { name, column: toSnakeCase(name), type: of }
        : { name, column: of.name, type: of.getSQLType() },
    );
    this.columns = this.#columns.map(({ column }) => column).join(', ');
    this.#alias = alias;
  }

  /** The relation for `from`: `unnest($botId::uuid[]) as u (bot_id)`. */
  toString(): string {
    return `unnest(${this.#arrays}) as ${this.#alias} (${this.columns})`;
  }

  /** The same relation, with the position among the values as the column `ordinality`. */
  get numbered(): string {
    return `unnest(${this.#arrays}) with ordinality as ${this.#alias} (${this.columns}, ordinality)`;
  }

  get #arrays(): string {
    return this.#columns.map(({ name, type }) => `$${name}::${type}[]`).join(', ');
  }

  /**
   * The same relation for dozens of columns and at most some hundred rows. Postgres stores each array that it unnests
   * as a relation of its own: 0.33 ms for the 47 columns of a turn's end, by position 0.05 ms. But reading by position
   * takes time that grows with the square of the rows. `offset 0` keeps the planner from moving the reads into joins,
   * where it knows no index for them. Positions come from an array, of which it expects 10 rows: for the 1000 of
   * `generate_series` it would read whole tables.
   */
  get ofFewRows(): string {
    const values = this.#columns.map(({ name, column, type }) => `($${name}::${type}[])[place] as ${column}`);
    const [first] = this.#columns;
    return `(
      select ${values.join(', ')}
      from unnest($${first?.name}::${first?.type}[]) with ordinality as rows (value, place)
      offset 0
    ) as ${this.#alias}`;
  }

  /** Values of a column of type `jsonb` are serialized to JSON. */
  values(rows: readonly Readonly<Record<Name, unknown>>[]): Record<Name, unknown[]> {
    const arrays = this.#columns.map(({ name, type }) => {
      const read = type === 'jsonb' ? jsonOrNull : (value: unknown) => value ?? null;
      return [name, rows.map((row) => read(row[name]))] as const;
    });
    return Object.fromEntries(arrays) as Record<Name, unknown[]>;
  }
}

/** `unnest('u', { botId: bots.botId, waitMs: 'integer' })`: columns of tables, or types. */
export const unnest = <const Columns extends Readonly<Record<string, string | Column>>>(
  alias: string,
  columns: Columns,
): Rows<keyof Columns & string> => new Rows(alias, columns);

/** The values of a row of such columns. */
export type ValuesOf<Columns extends Readonly<Record<string, string | Column>>> = {
  [Name in keyof Columns]: ValueOf<Columns[Name]> | null | undefined;
};
type ValueOf<Of> = Of extends Column
  ? Of['_']['data']
  : Of extends 'boolean'
    ? boolean
    : Of extends 'uuid' | 'text'
      ? string
      : number;

/** One row that is passed to a statement by names: `insert into … (columns) select values … do update set excluded`. */
interface NamedRow<Name extends string> {
  columns: string;
  /** `$botId::uuid, $name::text`. */
  values: string;
  /** `bot_id = excluded.bot_id, name = excluded.name`: for `on conflict … do update set`. */
  excluded: string;
  /** The values by name; those of a column of type `jsonb` are serialized to JSON. */
  valuesOf(row: Readonly<Record<Name, unknown>>): NamedValues;
}

export function namedRow<Name extends string>(columns: Readonly<Record<Name, Column>>): NamedRow<Name> {
  const entries = Object.entries(columns) as [Name, Column][];
  return {
    columns: entries.map(([, { name }]) => name).join(', '),
    values: entries.map(([name, of]) => `$${name}::${of.getSQLType()}`).join(', '),
    excluded: entries.map(([, { name }]) => `${name} = excluded.${name}`).join(', '),
    valuesOf: (row) =>
      Object.fromEntries(
        entries.map(([name, of]) => [name, of.getSQLType() === 'jsonb' ? jsonOrNull(row[name]) : row[name]]),
      ),
  };
}
