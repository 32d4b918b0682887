import type { Duplex } from 'node:stream';
import pg from 'pg';
import {
  type Columns,
  columnsOf,
  type Field,
  noColumns,
  type PreparedStatements,
  type RowDescription,
  type TypeParsers,
} from './prepared.ts';

/** A value as it is sent to the server. */
export type Parameter = string | Buffer | null;

export interface WireStatement {
  /** Set for a prepared statement. */
  name?: string | undefined;
  text: string;
  parameters: readonly Parameter[];
  rowMode?: 'array' | undefined;
  types?: TypeParsers | undefined;
  row?: RowDescription | undefined;
}

export interface Answer<Row = unknown> {
  command: string;
  rows: Row[];
}

/** A statement, and the callbacks for its answer. */
export interface PendingStatement {
  statement: WireStatement;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

type PendingStatements = readonly PendingStatement[];

/** The driver's connection, which its types hide. */
interface Wire {
  stream: Duplex;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly Parameter[] }): void;
  describe(portal: { type: 'P'; name: '' }): void;
  execute(portal: object): void;
  close(statement: { type: 'S'; name: string }): void;
  sync(): void;
}

/**
 * Statements that are sent to the server in one write and answered together. The driver ends every statement with a
 * `Sync`, at which the server flushes its answers: a system call and a wake-up of the client for every statement.
 * Here one `Sync` ends them all. If a statement fails, those after it aren't run and fail with it. Outside of a
 * transaction all of them form one.
 */
export class Exchange extends pg.Query {
  /** Called by the client on a timeout; the client wraps it with a timer. */
  callback: (error?: unknown) => void;
  readonly #pending: PendingStatements;
  readonly #prepared: PreparedStatements;
  readonly #isWhole: boolean;
  readonly #answers: (Answer & { fault: unknown })[] = [];
  #rows: unknown[] = [];
  #columns: Columns | undefined;
  /** Why the current rows can't be parsed. */
  #fault: unknown;
  #isSettled = false;

  /** `isWhole`: the exchange is a transaction, so a failure rolls back all of it. */
  constructor(pending: PendingStatements, prepared: PreparedStatements, { isWhole }: { isWhole: boolean }) {
    super('');
    this.#pending = pending;
    this.#prepared = prepared;
    this.#isWhole = isWhole;
    this.callback = (error) => this.#settle(error);
  }

  /** Returns an error instead of throwing it: the driver passes it on, while a thrown one would end the process. */
  override submit = (connection: unknown): Error | null => {
    const wire = connection as Wire;
    wire.stream.cork();
    try {
      for (const { statement } of this.#pending) this.#write(wire, statement);
    } catch (error) {
      // A part of the exchange may have been written.
      wire.stream.destroy();
      return error as Error;
    }
    wire.sync();
    wire.stream.uncork();
    return null;
  };

  #write(wire: Wire, { name = '', text, parameters }: WireStatement): void {
    const prepared = this.#prepared;
    if (name === '') wire.parse({ name, text });
    else if (!prepared.isParsed(name, text)) {
      if (prepared.isDoubtful(name)) wire.close({ type: 'S', name });
      wire.parse({ name, text });
      prepared.add(name, text);
    }
    wire.bind({ statement: name, values: parameters });
    if (!prepared.columnsOf(name)) wire.describe({ type: 'P', name: '' });
    wire.execute({});
  }

  /** The statement that is being answered. */
  get #current(): WireStatement | undefined {
    return this.#pending[this.#answers.length]?.statement;
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const { row, types } = this.#current ?? {};
    try {
      this.#columns = row ? row.columnsOf(fields) : columnsOf(fields, types);
    } catch (error) {
      this.#fault ??= error;
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const statement = this.#current;
    const columns = this.#columns ?? this.#prepared.columnsOf(statement?.name ?? '') ?? noColumns;
    try {
      this.#rows.push(statement?.rowMode === 'array' ? valuesOf(fields, columns) : rowOf(fields, columns));
    } catch (error) {
      // An error thrown into the driver's socket handler would end the process.
      this.#fault ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const name = this.#current?.name;
    const fault = this.#fault;
    if (name !== undefined && !fault) this.#prepared.confirm(name, this.#columns ?? noColumns);
    this.#answers.push({ command: text.split(' ', 1)[0] ?? '', rows: this.#rows, fault });
    this.#rows = [];
    this.#columns = undefined;
    this.#fault = undefined;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  #settle(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const hasFailed = error !== undefined;
    for (const [place, { statement, resolve, reject }] of this.#pending.entries()) {
      const answer = this.#answers[place];
      if (hasFailed && !answer) this.#prepared.doubt(statement.name);
      if (!answer || (hasFailed && this.#isWhole)) reject(error);
      else if (answer.fault) reject(answer.fault);
      else resolve(answer);
    }
  }
}

const valuesOf = (texts: readonly (string | null)[], { parsers }: Columns): unknown[] =>
  texts.map((text, place) => (text === null ? null : parsers[place]?.(text)));

export function rowOf(
  texts: readonly (string | null)[],
  { names, parsers, required }: Columns,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [place, name] of names.entries()) {
    const text = texts[place] ?? null;
    if (text === null && required?.[place]) throw new Error(`"${name}" is null`);
    row[name] = text === null ? null : parsers[place]?.(text);
  }
  return row;
}
