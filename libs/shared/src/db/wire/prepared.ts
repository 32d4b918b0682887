import pg from 'pg';

/** Converts the server's text to a value. */
export type Parser = (text: string) => unknown;

export interface TypeParsers {
  getTypeParser(typeId: number, format: 'text'): Parser;
}

export interface Field {
  name: string;
  dataTypeID: number;
}

/** How the rows of a statement are parsed. */
export interface Columns {
  names: string[];
  parsers: Parser[];
  /** Columns in which `null` is a fault; none if `undefined`. */
  required?: boolean[];
}

/**
 * A statement's description of its rows.
 * @throws if the server's answer has other columns or other types.
 */
export interface RowDescription {
  columnsOf(fields: readonly Field[]): Columns;
}

export const noColumns: Columns = { names: [], parsers: [] };

export const columnsOf = (fields: readonly Field[], types: TypeParsers = pg.types): Columns => ({
  names: fields.map(({ name }) => name),
  parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
});

interface ParsedStatement {
  text: string;
  /** `undefined` until the first answer has arrived. */
  columns: Columns | undefined;
}

/** The statements that a connection has parsed. */
export class PreparedStatements {
  readonly #parsed = new Map<string, ParsedStatement>();
  /** Statements that were sent together with one that failed: it isn't known whether the server has parsed them. */
  readonly #doubtful = new Set<string>();

  /** @throws when the name belongs to another text. */
  isParsed(name: string, text: string): boolean {
    const parsed = this.#parsed.get(name);
    if (parsed && parsed.text !== text) throw new Error(`the name "${name}" stands for another statement`);
    return parsed !== undefined;
  }

  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  columnsOf(name: string): Columns | undefined {
    return this.#parsed.get(name)?.columns;
  }

  /** Records that the server is told to parse the statement. */
  add(name: string, text: string): void {
    this.#doubtful.delete(name);
    this.#parsed.set(name, { text, columns: undefined });
  }

  /** Records that the server has answered the statement. */
  confirm(name: string, columns: Columns): void {
    const parsed = this.#parsed.get(name);
    if (parsed) parsed.columns ??= columns;
  }

  /**
   * Records that the statement was sent with one that failed, and may have been skipped. A statement that was
   * answered before stays parsed.
   */
  doubt(name: string | undefined): void {
    if (name === undefined || this.#parsed.get(name)?.columns) return;
    this.#parsed.delete(name);
    this.#doubtful.add(name);
  }
}
