import {
  type ConsumerConfig,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { headers } from '@nats-io/transport-node';

interface Kept {
  seq: number;
  subject: string;
  headers: [name: string, values: string[]][];
  data: string;
}

interface KeptConsumer {
  config: ConsumerConfig;
  /** Number of messages that it has not acknowledged. */
  unhandled: number;
}

/** A stream as text: nats-server would drop a copied file's messages when they are 72 hours old. */
export interface KeptStream {
  config: StreamConfig;
  firstSeq: number;
  lastSeq: number;
  messages: Kept[];
  consumers: KeptConsumer[];
}

export async function readStreams(connection: NatsConnection): Promise<KeptStream[]> {
  const manager = await jetstreamManager(connection);
  const streams: KeptStream[] = [];
  for await (const { config, state } of manager.streams.list()) {
    const consumers: KeptConsumer[] = [];
    // The others belong to a process, and end with it.
    for await (const { config: own, num_pending, num_ack_pending } of manager.consumers.list(config.name))
      if (own.durable_name) consumers.push({ config: own, unhandled: num_pending + num_ack_pending });
    const { first_seq: firstSeq, last_seq: lastSeq } = state;
    const messages = await readMessages(manager, config.name, { firstSeq, lastSeq });
    streams.push({ config, firstSeq, lastSeq, messages, consumers });
  }
  return streams;
}

async function readMessages(
  manager: JetStreamManager,
  stream: string,
  { firstSeq, lastSeq }: Pick<KeptStream, 'firstSeq' | 'lastSeq'>,
): Promise<Kept[]> {
  const messages: Kept[] = [];
  for (let seq = firstSeq; seq <= lastSeq; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
    if (!message) continue;
    const own = [...message.header].map(([name, values]): [string, string[]] => [name, values]);
    messages.push({ seq, subject: message.subject, headers: own, data: message.string() });
  }
  return messages;
}

/**
 * Creates the streams again with the same positions, and consumers with the same acknowledgements.
 * @returns the creation time of each stream, as reported by the server.
 */
export async function writeStreams(
  connection: NatsConnection,
  streams: readonly KeptStream[],
): Promise<Map<string, string>> {
  const manager = await jetstreamManager(connection);
  const made = new Map<string, string>();
  for (const stream of streams) {
    const { name } = stream.config;
    const info = await manager.streams.add({ ...stream.config, first_seq: Math.max(stream.firstSeq, 1) });
    made.set(name, String(info.created));
    await writeMessages(connection, manager, stream);
    for (const consumer of stream.consumers) await writeConsumer(connection, name, consumer);
  }
  return made;
}

async function writeMessages(
  connection: NatsConnection,
  manager: JetStreamManager,
  { config, firstSeq, lastSeq, messages }: KeptStream,
): Promise<void> {
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const anySubject = messages[0]?.subject;
  for (let seq = Math.max(firstSeq, 1); seq <= lastSeq && anySubject; seq += 1) {
    const { subject, headers: own, data } = bySeq.get(seq) ?? { subject: anySubject, headers: [], data: '' };
    const fields = headers();
    for (const [name, values] of own) for (const value of values) fields.append(name, value);
    const acknowledged = await jetstream(connection).publish(subject, data, { headers: fields });
    if (acknowledged.seq !== seq) throw new Error(`${config.name}: ${seq} became ${acknowledged.seq}`);
    // It was erased: its position stays.
    if (!bySeq.has(seq)) await manager.streams.deleteMessage(config.name, seq, false);
  }
}

async function writeConsumer(
  connection: NatsConnection,
  stream: string,
  { config, unhandled }: KeptConsumer,
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const { num_pending } = await manager.consumers.add(stream, config);
  const handled = num_pending - unhandled;
  if (handled < 0) throw new Error(`${stream}: ${config.durable_name} lacks messages`);
  if (handled === 0) return;
  const consumer = await jetstream(connection).consumers.get(stream, config.durable_name ?? '');
  const fetched = await consumer.fetch({ max_messages: handled, expires: 10_000 });
  for await (const message of fetched) await message.ackAck();
}
