import { setTimeout as pause } from 'node:timers/promises';
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Bus, KeptSubscription } from './bus.ts';

interface Hearing {
  /** Each message is delivered to one process of those that name the same queue. */
  queue?: string;
  onMessage(message: Msg): void;
  /** Called when the server has taken the subscription; messages before were missed. */
  onSubscribed?(): void;
}

const tryAgainMs = 500;

/**
 * Subscribes, and subscribes again when nats-server has refused or ended the subscription because the service's
 * permissions were changed; the driver never retries such a subscription. Reported as a stall until it succeeds.
 * Called while connected.
 */
export function keepSubscribed(bus: Bus, subject: string, hearing: Hearing): KeptSubscription {
  const { connection } = bus.live();
  let current: Subscription | undefined;
  let isDrained = false;
  const keep = async () => {
    while (!bus.isClosed && !isDrained) {
      current = subscribe();
      // The server sends a refusal of the subscription before it answers this.
      await connection.flush().catch(() => undefined);
      if (!current.isClosed()) {
        bus.stalls.recovered(partOf(subject));
        hearing.onSubscribed?.();
      }
      const error = await current.closed;
      if (!(error instanceof Error)) return;
      showRefusal(bus, subject, error);
      await pause(tryAgainMs, undefined, { ref: false });
    }
  };
  const subscribe = () =>
    connection.subscribe(subject, {
      ...(hearing.queue ? { queue: hearing.queue } : {}),
      callback: (failure, message) => {
        if (!failure) hearing.onMessage(message);
      },
    });
  keep().catch((error: unknown) => bus.log.error({ err: error, subject }, 'a subscription ended'));
  return {
    drain: async () => {
      isDrained = true;
      await current?.drain();
    },
  };
}

const partOf = (subject: string): string => `hearing ${subject}`;

function showRefusal(bus: Bus, subject: string, error: Error): void {
  bus.stalls.failed(partOf(subject), {
    reason: `nats-server refuses the subscription: ${error.message}`,
    remedy: `Give the user ${bus.service} of nats-server the permissions that this version needs.`,
    error,
  });
}
