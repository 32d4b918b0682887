import { busColumns } from '../db/columns.ts';
import { type Database, withPlatform } from '../db/database.ts';
import { columns, type RowOf, typedSql } from '../db/typed-sql.ts';
import { createPeriodic, type Periodic } from '../work/periodic.ts';
import type { Bus } from './bus.ts';
import type { Subscription } from './consumer.ts';
import { recordFailure } from './dead-letters.ts';
import { isOutage, textOf } from './event-failure.ts';
import { handleOnce, type Inbox, readEvent } from './inbox.ts';

/** Prefix of the stored reason of an unknown event. The rest of it is for people. */
const prefix = 'unknown event';

export const unknownEventReason = (name: string): string =>
  `${prefix} ${name}: no running version of this service knows it. A version that does handles it when it starts.`;

const lookEveryMs = 10_000;

interface ParkedEventsOptions<Deps> extends Inbox<Deps> {
  bus: Bus;
  subscriptionOf(eventName: string): Subscription<Deps> | undefined;
}

/** Handles dead letters that were parked only because no version knew their event. */
export class ParkedEvents<Deps> {
  readonly #options: ParkedEventsOptions<Deps>;
  readonly #looks: Periodic;

  constructor(options: ParkedEventsOptions<Deps>) {
    this.#options = options;
    this.#looks = createPeriodic({
      name: 'handle parked events',
      everyMs: lookEveryMs,
      work: (isStopped) => this.#handleAll(isStopped),
      log: options.bus.log,
    });
  }

  start(): void {
    this.#looks.start();
    this.#looks.wake();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #handleAll(isStopped: () => boolean): Promise<void> {
    const { bus, database, schema } = this.#options;
    for (const event of await listParkedEvents(database, schema)) {
      if (isStopped()) return;
      const subscription = this.#options.subscriptionOf(bus.names.eventNameOf(event.subject));
      if (subscription) await this.#handle(event, subscription);
    }
  }

  async #handle({ eventId, subject, data }: ParkedEvent, subscription: Subscription<Deps>): Promise<void> {
    const { bus, database, schema } = this.#options;
    try {
      const event = readEvent(subscription, { id: eventId, said: JSON.parse(data) });
      await handleOnce(this.#options, [event]);
      await removeParkedEvent(database, schema, eventId);
      bus.log.info({ eventId, event: subscription.event.name }, 'a parked event was handled');
    } catch (error) {
      if (isOutage(error)) throw error;
      bus.log.error({ err: error, eventId, subject }, 'a parked event failed');
      const lastError = textOf(error);
      const { attempts, retryInMs } = await recordFailure(database, schema, eventId, lastError);
      if (retryInMs === null) await deadLetterParkedEvent(database, schema, { eventId, attempts, lastError });
    }
  }
}

const { eventId, subject, data } = busColumns.deadLetters;
const parkedEvent = columns({ eventId, subject, data });
type ParkedEvent = RowOf<typeof parkedEvent>;

/** Dead letters that were parked only because no version knew their event, oldest first. */
async function listParkedEvents(database: Database, schema: string): Promise<ParkedEvent[]> {
  return await withPlatform(
    database,
    'parked events',
    (tx) =>
      tx.query({
        name: `${schema}.dead_letters.parked`,
        text: typedSql`select ${parkedEvent} from ${schema}.dead_letters
             where starts_with(last_error, '${prefix}') order by event_id`,
        values: [],
      }),
    { isDurable: false, isOneRoundTrip: true },
  );
}

async function removeParkedEvent(database: Database, schema: string, eventId: string): Promise<void> {
  await withPlatform(database, 'parked event handled', (tx) =>
    tx.query({
      name: `${schema}.dead_letters.unpark`,
      text: `delete from ${schema}.dead_letters where event_id = $1`,
      values: [eventId],
    }),
  );
}

/** The event is known now but can't be handled: it stays a dead letter, with this reason. */
async function deadLetterParkedEvent(
  database: Database,
  schema: string,
  { eventId, attempts, lastError }: { eventId: string; attempts: number; lastError: string },
): Promise<void> {
  await withPlatform(database, 'parked event failed', (tx) =>
    tx.query({
      name: `${schema}.dead_letters.fail`,
      text: `update ${schema}.dead_letters set attempts = $2, last_error = $3 where event_id = $1`,
      values: [eventId, attempts, lastError],
    }),
  );
}
