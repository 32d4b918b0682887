import type { Bus } from './bus.ts';
import { nextOf } from './reading/next-of.ts';
import { readJson } from './reading/read-json.ts';

/** Whether an event is kept, erased, or erased after its consumption. */
export type Fate = 'keep' | 'erase' | 'erase once consumed';

interface StreamErasure {
  /** Subjects of the service's own stream, which may end in wildcards. */
  subjects: readonly string[];
  fateOf(data: unknown): Fate;
  /** The consumer that must receive an event before it is erased. */
  consumer: string;
  /** Time at which this attempt ends. */
  deadline: number;
}

/**
 * Removes events from the service's own stream one by one and has the server overwrite their bytes. Other events keep
 * their positions. `isDone` is false if the deadline passed, or if an event has to be consumed first.
 */
export async function eraseFromStream(
  bus: Bus,
  erasure: StreamErasure,
): Promise<{ erased: number; isDone: boolean }> {
  const { manager } = bus.live();
  const stream = bus.names.stream(bus.service);
  let erased = 0;
  let isWaiting = false;
  for (const subject of erasure.subjects) {
    let seq = 1;
    for (;;) {
      if (Date.now() > erasure.deadline) return { erased, isDone: false };
      const message = await nextOf(bus, { owner: bus.service, subject, seq });
      if (!message) break;
      seq = message.seq + 1;
      const fate = erasure.fateOf(readJson(message));
      if (fate === 'keep') continue;
      if (fate === 'erase once consumed' && !(await isConsumed(bus, erasure.consumer, message.seq))) {
        isWaiting = true;
        continue;
      }
      await manager.streams.deleteMessage(stream, message.seq, true);
      erased += 1;
    }
  }
  return { erased, isDone: !isWaiting };
}

async function isConsumed(bus: Bus, consumer: string, seq: number): Promise<boolean> {
  const info = await bus
    .live()
    .manager.consumers.info(bus.names.stream(bus.service), consumer)
    .catch(() => null);
  if (!info) return true;
  return info.ack_floor.stream_seq >= seq || info.num_pending + info.num_ack_pending === 0;
}

/**
 * Whether this service has consumed everything that an owner had published when this was called. Waits until the
 * deadline.
 */
export async function hasCaughtUp(bus: Bus, owner: string, deadline: number): Promise<boolean> {
  const { manager } = bus.live();
  const stream = bus.names.stream(owner);
  const target = (await manager.streams.info(stream)).state.last_seq;
  for (;;) {
    const { ack_floor, num_pending, num_ack_pending } = await manager.consumers.info(stream, bus.service);
    if (ack_floor.stream_seq >= target || num_pending + num_ack_pending === 0) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
