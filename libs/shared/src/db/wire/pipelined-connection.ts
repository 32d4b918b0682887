import pg from 'pg';
import { type Statement, toNumbered } from '../statement.ts';
import type { TypedSql } from '../typed-sql.ts';
import {
  type Answer,
  Exchange,
  type Parameter,
  type PendingStatement,
  type WireStatement,
} from './exchange.ts';
import { PreparedStatements } from './prepared.ts';

const preparedOn = new WeakMap<pg.PoolClient, PreparedStatements>();

/** The answer if no exchange is needed. */
const done: Answer = { command: 'COMMIT', rows: [] };

/** The driver's serializer of values, which its types hide. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Parameter } }).utils;

/**
 * A transaction's connection to the server. Statements of one turn of the event loop share one exchange. With
 * `isWhole` there is only one exchange, which is the transaction. Without `prepares` every statement is parsed again.
 */
export class PipelinedConnection {
  readonly #client: pg.PoolClient;
  readonly #prepared: PreparedStatements;
  #isWhole: boolean;
  #hasBegun = false;
  readonly #prepares: boolean;
  #gathered: PendingStatement[] = [];
  #isClosed = false;
  #takesCommit = false;
  #hasSentCommit = false;
  #committing: Promise<Answer> | undefined;

  constructor(client: pg.PoolClient, { isWhole, prepares }: { isWhole: boolean; prepares: boolean }) {
    this.#client = client;
    this.#isWhole = isWhole;
    this.#prepares = prepares;
    const prepared = preparedOn.get(client) ?? new PreparedStatements();
    preparedOn.set(client, prepared);
    this.#prepared = prepared;
  }

  /** `false` if nothing of the transaction can have been committed. */
  get mayBeCommitted(): boolean {
    return this.#hasSentCommit;
  }

  ask<Row>(statement: Statement<string | TypedSql<Row>>): Promise<Answer<Row>> {
    const row = typeof statement.text === 'string' ? undefined : statement.text.row;
    const { text, values } = toNumbered(statement);
    const parameters = values.map(prepareValue);
    return this.#add({ name: statement.name, text, row, parameters }) as Promise<Answer<Row>>;
  }

  /** The driver's interface that drizzle calls. */
  query(config: Pick<WireStatement, 'text' | 'rowMode' | 'types'>, values: unknown[] = []): Promise<Answer> {
    const { text, rowMode, types } = config;
    return this.#add({ text, rowMode, types, parameters: values.map(prepareValue) });
  }

  /** Begins the transaction, unless its one exchange is the transaction. */
  begin(): Promise<Answer> {
    if (this.#isWhole) return Promise.resolve(done);
    return this.#add({ name: 'begin', text: 'begin', parameters: [] });
  }

  /**
   * Sends the commit with this turn's statements; the server skips it if an earlier one fails. If nothing was sent
   * yet, the exchange is the transaction.
   */
  takeCommit(): void {
    if (this.#isWhole || this.#hasBegun) {
      this.#takesCommit = !this.#isWhole;
      return;
    }
    this.#isWhole = true;
    this.#gathered.shift()?.resolve(done);
  }

  /** @throws the error of the exchange that contained the commit. */
  async commit(): Promise<Answer> {
    if (this.#isWhole) return done;
    return await (this.#committing ?? this.#end('commit'));
  }

  /** `failure` is why the work has failed. */
  async rollback(failure: unknown): Promise<void> {
    this.abandon(failure);
    if (!this.#isWhole) await this.#end('rollback');
  }

  /**
   * Drops the statements of a transaction in one exchange that has failed before it was sent. Otherwise the exchange
   * would be committed without the rest of its work.
   */
  abandon(failure: unknown): void {
    if (!this.#isWhole) return;
    this.#isClosed = true;
    for (const { reject } of this.#gathered.splice(0)) reject(failure);
  }

  /** Sends it in a separate exchange, so that an earlier failure can't prevent it. */
  async #end(command: 'commit' | 'rollback'): Promise<Answer> {
    this.#takesCommit = false;
    this.#send();
    const answer = this.#gather({ name: command, text: command, parameters: [] });
    this.#hasSentCommit ||= command === 'commit';
    this.#isClosed = true;
    this.#send();
    return await answer;
  }

  #add(statement: WireStatement): Promise<Answer> {
    if (this.#isClosed) throw new Error('a statement came after the end of its transaction');
    return this.#gather(statement);
  }

  #gather(named: WireStatement): Promise<Answer> {
    const statement = this.#prepares ? named : { ...named, name: undefined };
    return new Promise((resolve, reject) => {
      this.#gathered.push({ statement, resolve, reject });
      if (this.#gathered.length === 1) process.nextTick(() => this.#send());
    });
  }

  #send(): void {
    if (this.#gathered.length === 0) return;
    this.#hasBegun = true;
    this.#hasSentCommit ||= this.#takesCommit || this.#isWhole;
    if (this.#takesCommit) {
      this.#isClosed = true;
      this.#committing = this.#gather({ name: 'commit', text: 'commit', parameters: [] });
      this.#committing.catch(() => undefined);
    }
    const pending = this.#gathered;
    this.#gathered = [];
    if (this.#isWhole) this.#isClosed = true;
    this.#client.query(new Exchange(pending, this.#prepared, { isWhole: this.#isWhole }));
  }
}
