import pg from 'pg';
import type { Statement } from '../database.ts';
import { type Answer, type Asked, Exchange, type Parameter, type Question } from './exchange.ts';
import { PreparedStatements } from './prepared.ts';

const preparedOn = new WeakMap<pg.PoolClient, PreparedStatements>();

/** The driver's way to write a value, which its types hide. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Parameter } }).utils;

/**
 * A transaction's line to the server: what is asked in one turn of the event loop crosses in one exchange. With `isWhole` there
 * is one exchange only, which is the transaction.
 */
export class Line {
  readonly #client: pg.PoolClient;
  readonly #prepared: PreparedStatements;
  readonly #isWhole: boolean;
  #gathered: Asked[] = [];
  #isClosed = false;

  constructor(client: pg.PoolClient, { isWhole }: { isWhole: boolean }) {
    this.#client = client;
    this.#isWhole = isWhole;
    const prepared = preparedOn.get(client) ?? new PreparedStatements();
    preparedOn.set(client, prepared);
    this.#prepared = prepared;
  }

  ask<Row>({ name, text, values }: Statement): Promise<Answer<Row>> {
    return this.#add({ name, text, parameters: values.map(prepareValue) }) as Promise<Answer<Row>>;
  }

  /** As drizzle asks. */
  query(config: Pick<Question, 'text' | 'rowMode' | 'types'>, values: unknown[] = []): Promise<Answer> {
    const { text, rowMode, types } = config;
    return this.#add({ text, rowMode, types, parameters: values.map(prepareValue) });
  }

  /** Asks in an exchange of its own, behind everything else, and nothing after it. */
  async end(command: 'commit' | 'rollback'): Promise<Answer> {
    this.#send();
    const answer = this.ask({ name: command, text: command, values: [] });
    this.#isClosed = true;
    this.#send();
    return await answer;
  }

  #add(question: Question): Promise<Answer> {
    if (this.#isClosed) throw new Error('a statement came after the end of its transaction');
    return new Promise((resolve, reject) => {
      this.#gathered.push({ question, resolve, reject });
      if (this.#gathered.length === 1) process.nextTick(() => this.#send());
    });
  }

  #send(): void {
    if (this.#gathered.length === 0) return;
    const asked = this.#gathered;
    this.#gathered = [];
    if (this.#isWhole) this.#isClosed = true;
    this.#client.query(new Exchange(asked, this.#prepared, { isWhole: this.#isWhole }));
  }
}
