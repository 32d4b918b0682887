import pg from 'pg';

/** How a text of the server becomes a value. */
export type Parser = (text: string) => unknown;

export interface TypeParsers {
  getTypeParser(typeId: number, format: 'text'): Parser;
}

export interface Field {
  name: string;
  dataTypeID: number;
}

/** How the rows of a statement are read. */
export interface Columns {
  names: string[];
  parsers: Parser[];
  /** Columns in which `null` is a fault; none if `undefined`. */
  required?: boolean[];
}

/** A statement's description of its rows. @throws when the server's answer has other columns, or of other types. */
export interface RowDescription {
  columnsOf(fields: readonly Field[]): Columns;
}

export const noColumns: Columns = { names: [], parsers: [] };

export const columnsOf = (fields: readonly Field[], types: TypeParsers = pg.types): Columns => ({
  names: fields.map(({ name }) => name),
  parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
});

interface Known {
  text: string;
  /** `undefined` until its first answer is there. */
  columns: Columns | undefined;
}

/** The statements that a connection has parsed. */
export class PreparedStatements {
  readonly #known = new Map<string, Known>();
  /** Those that went out together with something that failed: whether the server has parsed them isn't known. */
  readonly #doubtful = new Set<string>();

  /** @throws when the name belongs to another text. */
  knows(name: string, text: string): boolean {
    const known = this.#known.get(name);
    if (known && known.text !== text) throw new Error(`the name "${name}" stands for another statement`);
    return known !== undefined;
  }

  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  columnsOf(name: string): Columns | undefined {
    return this.#known.get(name)?.columns;
  }

  /** The server is told to parse it. */
  add(name: string, text: string): void {
    this.#doubtful.delete(name);
    this.#known.set(name, { text, columns: undefined });
  }

  /** The server has answered it. */
  confirm(name: string, columns: Columns): void {
    const known = this.#known.get(name);
    if (known) known.columns ??= columns;
  }

  /**
   * It went out with something that failed, and may have been left out itself. One that was answered before is known
   * for good.
   */
  doubt(name: string | undefined): void {
    if (name === undefined || this.#known.get(name)?.columns) return;
    this.#known.delete(name);
    this.#doubtful.add(name);
  }
}
