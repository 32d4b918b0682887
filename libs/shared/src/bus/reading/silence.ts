import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Bus } from '../bus.ts';

/**
 * How often the server has to say that it is there. By default it is asked again 30 s after it has gone silent, and as
 * long after each question that finds it without a leader: a lost server would cost a minute.
 */
export const idleHeartbeatMs = 1000;

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
