import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Bus } from '../bus.ts';

/**
 * Interval of the heartbeats that the server sends for each consumer. By default the driver asks again only after 30
 * s of silence, and 30 s after each attempt that finds no leader, so a lost server would cost a minute. Without
 * replicas no other server can take over, and each heartbeat wakes an idle process. There, two missed heartbeats and
 * the 5 s until a failure is shown still add up to less than 10 s (REQ-REL-22).
 */
export const idleHeartbeatMs = ({ replicas }: Replicated): number => (replicas > 1 ? 1000 : 2000);

type Replicated = Pick<Bus, 'replicas'>;

/**
 * Ends a subscription and resolves when no server serves it any longer, or when the connection was replaced. The caller
 * then subscribes again and reaches the current leader. Unacknowledged messages are redelivered.
 * @throws the error that ended the subscription itself.
 */
export async function untilSilent(bus: Bus, messages: ConsumerMessages): Promise<void> {
  const forget = bus.onReconnect(() => messages.stop());
  const listen = async () => {
    for await (const { type } of messages.status())
      if (type === 'heartbeats_missed' || type === 'no_responders') messages.stop();
  };
  try {
    const [failure] = await Promise.all([messages.closed(), listen()]);
    if (failure) throw failure;
  } finally {
    forget();
  }
}
