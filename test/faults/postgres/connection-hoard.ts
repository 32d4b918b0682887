import pg from 'pg';

/** After so many refusals in a row there is nothing left to take. */
const enoughRefusals = 20;

/** Somebody who takes every connection that a Postgres has, those of others too, and keeps them. */
export class ConnectionHoard {
  readonly #url: string;
  readonly #clients: pg.Client[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  get size(): number {
    return this.#clients.length;
  }

  /** Resolves when nobody else has a connection. Those of others are ended, and taken before they can be had again. */
  async takeAll(): Promise<void> {
    for (let refusals = 0; refusals < enoughRefusals; ) {
      if (await this.#takeOne()) {
        refusals = 0;
        continue;
      }
      refusals += 1;
      if ((await this.#endOthers()) > 0) refusals = 0;
    }
  }

  async release(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }

  async #takeOne(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'hoard' });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return false;
    }
    this.#clients.push(client);
    return true;
  }

  async #endOthers(): Promise<number> {
    const [first] = this.#clients;
    if (!first) throw new Error('there was no connection to take');
    const { rowCount } = await first.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and application_name <> 'hoard'`,
    );
    return rowCount ?? 0;
  }
}
