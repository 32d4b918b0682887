import type { EventType } from '@botyard/contracts/events/definition';
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  type ConsumerUpdateConfig,
  DeliverPolicy,
  JetStreamApiError,
} from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from './bus.ts';
import { versionMetadata, versionOf } from './bus-version.ts';
import { consumedOwners } from './permissions.ts';
import { parseMessage, readJson } from './reading/read-json.ts';
import { keepSubscribed } from './subscribing.ts';

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

/** A service sends this to the owner of a stream that it consumes. */
const ConsumerRequest = z.object({
  events: z.array(z.string().max(100)).min(1).max(100),
  version: z.number().int().min(0),
});
const ConsumerAnswer = z.union([
  z.object({ catchingUp: z.array(z.string()) }),
  z.object({ error: z.string() }),
]);

const askTimeoutMs = 5000;

/**
 * Has the service's durable consumer on an owner's stream created or updated. Only the owner may do that: the server
 * lets whoever creates a consumer deliver to any subject (`accounts.ts`). An older process doesn't change the
 * consumer of a newer one. A consumer that needs no change is used without asking.
 * @returns the events whose earlier messages are still being read.
 */
export async function ensureConsumer(bus: Bus, options: DurableOptions): Promise<EventType[]> {
  const { owner, events, version } = options;
  const { manager, connection } = bus.live();
  const info = await manager.consumers.info(bus.names.stream(owner), bus.service).catch(unlessMissing);
  if (info && isUpToDate(info, wantedConfig(bus, namesOf(events)), version))
    return catchingUpOf(info, events);
  const wanted = { events: namesOf(events), version };
  const catchingUp =
    owner === bus.service
      ? await bringUpToDate(bus, bus.service, wanted)
      : await askOwner(connection, bus.names.consumerRequest(owner, bus.service), wanted);
  return events.filter(({ name }) => catchingUp.includes(name));
}

async function askOwner(
  connection: NatsConnection,
  subject: string,
  wanted: z.input<typeof ConsumerRequest>,
): Promise<string[]> {
  const reply = await connection.request(subject, JSON.stringify(wanted), { timeout: askTimeoutMs });
  const answer = ConsumerAnswer.parse(parseMessage(reply));
  if ('error' in answer) throw new Error(`the stream's owner can't update the consumer: ${answer.error}`);
  return answer.catchingUp;
}

/** Creates and updates the consumers of other services on this service's own stream. */
export function answerConsumerRequests(bus: Bus): void {
  const prefix = bus.names.consumerRequest(bus.service, '');
  const answer = async (message: Msg): Promise<z.input<typeof ConsumerAnswer>> => {
    const service = message.subject.slice(prefix.length);
    if (!consumedOwners[service]?.includes(bus.service)) return { error: `${service} is not a consumer` };
    const request = ConsumerRequest.safeParse(readJson(message));
    if (!request.success) return { error: 'the request is malformed' };
    const isForeign = (name: string) => !isEventOf(bus.service, name);
    if (request.data.events.some(isForeign)) return { error: 'an event is not one of this stream' };
    return { catchingUp: await bringUpToDate(bus, service, request.data) };
  };
  const questions = keepSubscribed(bus, bus.names.consumerRequest(bus.service, '*'), {
    queue: bus.service,
    onMessage: (message) => {
      const work = answer(message)
        .catch((error: Error) => ({ error: error.message }))
        .then((reply) => void message.respond(JSON.stringify(reply)));
      bus.answers(work.catch((error: unknown) => bus.log.warn({ err: error }, 'an answer was not sent')));
    },
  });
  bus.hears(questions);
}

const isEventOf = (owner: string, name: string): boolean =>
  /^[a-z]+\.[a-z]+\.[a-z]+\.v[1-9]\d*$/.test(name) && name.startsWith(`${owner}.`);

interface Wanted {
  events: readonly string[];
  version: number;
}

/**
 * A subject that is added to the filter delivers only messages published from then on, so a second consumer for that
 * subject reads the earlier ones from the beginning of the stream. The inbox drops what was handled already.
 */
async function bringUpToDate(bus: Bus, service: string, { events, version }: Wanted): Promise<string[]> {
  const { manager } = bus.live();
  const stream = bus.names.stream(bus.service);
  const info = await manager.consumers.info(stream, service).catch(unlessMissing);
  if (!info) {
    await createConsumer(bus, service, { events, version });
    return [];
  }
  const wanted = wantedConfig(bus, events);
  if (isUpToDate(info, wanted, version)) return catchingUpNames(info);
  const added = events.filter((event) => !filtersOf(info.config).includes(subjectOf(bus, event)));
  for (const event of added) await createCatchUp(bus, service, event);
  const catchingUp = [...new Set([...catchingUpNames(info), ...added])];
  const metadata = { ...versionMetadata(version), [catchingUpKey]: catchingUp.join(' ') };
  const update = { ...wanted, filter_subject: undefined, metadata } as unknown as ConsumerUpdateConfig;
  try {
    await manager.consumers.update(stream, service, update);
  } catch (error) {
    if (!isRefused(error)) throw error;
    bus.log.warn({ err: error, service }, 'a consumer can not be updated and is made anew');
    await manager.consumers.delete(stream, service);
    await createConsumer(bus, service, { events, version });
    return [];
  }
  const from = versionOf(info.config.metadata);
  bus.log.info({ service, from, to: version, added }, 'a consumer was brought up to date');
  return catchingUp;
}

const namesOf = (events: readonly EventType[]): string[] => events.map(({ name }) => name);

const subjectOf = (bus: Bus, event: string): string => bus.names.everyEvent({ name: event } as EventType);

const wantedConfig = (bus: Bus, events: readonly string[]) => ({
  ...consumerSettings,
  filter_subjects: events.map((event) => subjectOf(bus, event)),
});

function isUpToDate({ config }: ConsumerInfo, wanted: Partial<ConsumerConfig>, version: number): boolean {
  const theirs = versionOf(config.metadata);
  return theirs > version || (theirs === version && isSame(config, wanted));
}

/** The bus version that last updated the consumer. */
export async function consumerVersion(bus: Bus, owner: string): Promise<number> {
  const { config } = await bus.live().manager.consumers.info(bus.names.stream(owner), bus.service);
  return versionOf(config.metadata);
}

/** The consumer that reads the earlier messages of an event whose subject was added to the filter. */
export const catchUpName = (service: string, event: string): string =>
  `${service}_${event.replaceAll('.', '_')}`;

export const isConsumerMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === consumerNotFound;

async function createConsumer(bus: Bus, service: string, { events, version }: Wanted): Promise<void> {
  await bus.live().manager.consumers.add(bus.names.stream(bus.service), {
    ...wantedConfig(bus, events),
    durable_name: service,
    metadata: versionMetadata(version),
  });
}

async function createCatchUp(bus: Bus, service: string, event: string): Promise<void> {
  const name = catchUpName(service, event);
  await bus.live().manager.consumers.add(bus.names.stream(bus.service), {
    ...consumerSettings,
    name,
    durable_name: name,
    filter_subject: subjectOf(bus, event),
  });
}

const catchingUpNames = ({ config }: ConsumerInfo): string[] =>
  config.metadata?.[catchingUpKey]?.split(' ').filter(Boolean) ?? [];

function catchingUpOf(info: ConsumerInfo, events: readonly EventType[]): EventType[] {
  const names = catchingUpNames(info);
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
