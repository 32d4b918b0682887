import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Bus } from '../bus.ts';

/**
 * How often the server has to say of each consumer that it is there. By default it is asked again 30 s after it has
 * gone silent, and as long after each question that finds it without a leader: a lost server would cost a minute. Where
 * streams have no copies no other server can take over, and each of these wakes a process at rest: then two that are
 * missed, and the 5 s until a failure is shown, are still less than 10 s (REQ-REL-22).
 */
export const idleHeartbeatMs = ({ replicas }: Replicated): number => (replicas > 1 ? 1000 : 2000);

/**
 * The same for those who drop what they remember, or tell who listens: they lose nothing while the connection stands.
 */
export const watchersHeartbeatMs = ({ replicas }: Replicated): number => (replicas > 1 ? 1000 : 5000);

type Replicated = Pick<Bus, 'replicas'>;

/**
 * Ends a subscription as soon as nobody serves it any more, or the connection is a new one, and resolves then: whoever
 * follows begins anew, and so finds the server that leads now. What was taken and not acknowledged comes again.
 * @throws what the subscription itself ended with.
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
