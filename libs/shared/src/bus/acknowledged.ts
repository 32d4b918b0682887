import { type ConsumerInfo, JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';

/**
 * Whether a consumer has acknowledged every message that its stream holds for it. "Nothing pending" isn't enough: the
 * server updates the consumer a moment after it confirms a publish.
 */
export async function hasAcknowledgedAll(
  manager: JetStreamManager,
  stream: string,
  consumer: string,
): Promise<boolean> {
  const info = await manager.consumers.info(stream, consumer).catch(() => undefined);
  if (!info || info.num_pending > 0 || info.num_ack_pending > 0) return false;
  const last = await Promise.all(subjectsOf(info).map((subject) => lastSeq(manager, stream, subject)));
  return last.every((seq) => seq <= info.ack_floor.stream_seq);
}

const subjectsOf = ({ config }: ConsumerInfo): string[] =>
  config.filter_subjects ?? [config.filter_subject ?? '>'];

async function lastSeq(manager: JetStreamManager, stream: string, subject: string): Promise<number> {
  try {
    return (await manager.streams.getMessage(stream, { last_by_subj: subject }))?.seq ?? 0;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return 0;
    throw error;
  }
}
