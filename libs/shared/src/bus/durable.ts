import type { EventType } from '@botyard/contracts/events/definition';
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  type ConsumerUpdateConfig,
  DeliverPolicy,
  JetStreamApiError,
} from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { versionMetadata, versionOf } from './bus-version.ts';

/** Limit of unacknowledged messages of one owner's stream, over all processes of a service. */
const maxAckPending = 2000;
/** Events of a killed process are redelivered after this, so that work continues within 10 s (promise P7). */
const ackWaitNanos = 8 * 1e9;

/** A change raises the bus version: `npm run generate`. */
export const consumerSettings = {
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: ackWaitNanos,
  max_deliver: -1,
  max_ack_pending: maxAckPending,
} as const;

interface DurableOptions {
  /** Service whose stream is consumed. */
  owner: string;
  events: readonly EventType[];
  version: number;
}

/** The server's codes of these errors. */
const consumerNotFound = 10014;
const notUpdatable = 10012;

const catchingUpKey = 'botyard_catching_up';

/**
 * Creates the service's durable consumer on an owner's stream, or updates it. An older process doesn't change the
 * consumer of a newer one. A subject that is added to the filter delivers only messages published from then on, so a
 * second consumer for that subject reads the earlier ones from the beginning of the stream. The inbox drops what was
 * handled already.
 * @returns the events whose earlier messages are still being read.
 */
export async function ensureConsumer(bus: Bus, options: DurableOptions): Promise<EventType[]> {
  const { manager } = bus.live();
  const { owner, events, version } = options;
  const stream = bus.names.stream(owner);
  const known = await manager.consumers.info(stream, bus.service).catch(unlessMissing);
  if (!known) {
    await createConsumer(bus, options);
    return [];
  }
  const wanted = { ...consumerSettings, filter_subjects: events.map(bus.names.everyEvent) };
  const theirs = versionOf(known.config.metadata);
  if (theirs > version || (theirs === version && isSame(known.config, wanted)))
    return catchingUpOf(known, events);
  const added = events.filter((event) => !filtersOf(known.config).includes(bus.names.everyEvent(event)));
  for (const event of added) await createCatchUp(bus, event);
  const catchingUp = [...new Set([...catchingUpOf(known, events), ...added])];
  const metadata = {
    ...versionMetadata(version),
    [catchingUpKey]: catchingUp.map(({ name }) => name).join(' '),
  };
  const update = { ...wanted, filter_subject: undefined, metadata } as unknown as ConsumerUpdateConfig;
  try {
    await manager.consumers.update(stream, bus.service, update);
  } catch (error) {
    if (!isRefused(error)) throw error;
    bus.log.warn({ err: error, owner }, 'a consumer can not be updated and is made anew');
    await manager.consumers.delete(stream, bus.service);
    await createConsumer(bus, options);
    return [];
  }
  bus.log.info(
    { owner, from: theirs, to: version, added: added.map(({ name }) => name) },
    'a consumer was brought up to date',
  );
  return catchingUp;
}

/** The bus version that last updated the consumer. */
export async function consumerVersion(bus: Bus, owner: string): Promise<number> {
  const { config } = await bus.live().manager.consumers.info(bus.names.stream(owner), bus.service);
  return versionOf(config.metadata);
}

/** The consumer that reads the earlier messages of an event whose subject was added to the filter. */
export const catchUpName = (bus: Bus, { name }: EventType): string =>
  `${bus.service}_${name.replaceAll('.', '_')}`;

export const isConsumerMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === consumerNotFound;

async function createConsumer(bus: Bus, { owner, events, version }: DurableOptions): Promise<void> {
  await bus.live().manager.consumers.add(bus.names.stream(owner), {
    ...consumerSettings,
    durable_name: bus.service,
    filter_subjects: events.map(bus.names.everyEvent),
    metadata: versionMetadata(version),
  });
}

/** With one subject in `filter_subject`, the request goes to a subject that the service's login may publish to. */
async function createCatchUp(bus: Bus, event: EventType): Promise<void> {
  const name = catchUpName(bus, event);
  await bus.live().manager.consumers.add(bus.names.stream(event.owner), {
    ...consumerSettings,
    name,
    durable_name: name,
    filter_subject: bus.names.everyEvent(event),
  });
}

function catchingUpOf({ config }: ConsumerInfo, events: readonly EventType[]): EventType[] {
  const names = config.metadata?.[catchingUpKey]?.split(' ') ?? [];
  return events.filter(({ name }) => names.includes(name));
}

const filtersOf = (config: Partial<ConsumerConfig>): string[] =>
  [...(config.filter_subjects ?? [config.filter_subject ?? '>'])].sort();

function isSame(config: ConsumerConfig, wanted: Partial<ConsumerConfig>): boolean {
  const settings = Object.entries(consumerSettings);
  return (
    settings.every(([name, value]) => (config as unknown as Record<string, unknown>)[name] === value) &&
    filtersOf(config).join() === filtersOf(wanted).join()
  );
}

/** Some settings can't be changed, and some can't be combined with the existing ones. */
const isRefused = (error: unknown): boolean =>
  error instanceof JetStreamApiError && (error.code === notUpdatable || error.status === 400);

function unlessMissing(error: unknown): undefined {
  if (!isConsumerMissing(error)) throw error;
}
