import type { Bus } from '../bus/bus.ts';
import { readJson } from '../bus/reading/read-json.ts';
import { keepSubscribed } from '../bus/subscribing.ts';
import type { Instance } from './instance.ts';
import { Drain } from './questions.ts';
import { drainSubject } from './subjects.ts';

/** The same time limit that the other processes have to prepare. */
const heardWithinMs = 1000;
const nextHeardWithinMs = 100;

/**
 * Announces that this process ends, and returns when the other processes have received it: from then on nothing new
 * arrives.
 */
export async function announceDrain(bus: Bus, instance: Instance, isReturning: boolean): Promise<void> {
  if (!bus.isConnected) return;
  const drain: Drain = {
    service: instance.service,
    instanceId: instance.id,
    state: 'draining',
    isReturning,
  };
  try {
    const heard = await bus.live().connection.requestMany(subjectOf(bus), JSON.stringify(drain), {
      strategy: 'stall',
      maxWait: heardWithinMs,
      stall: nextHeardWithinMs,
    });
    for await (const _one of heard);
  } catch (error) {
    bus.log.debug({ err: error }, 'nobody heard that this process ends');
  }
}

/** Announces that this process no longer accepts connections. */
export function announceGone(bus: Bus, instance: Instance, isReturning: boolean): void {
  if (!bus.isConnected) return;
  const drain: Drain = { service: instance.service, instanceId: instance.id, state: 'gone', isReturning };
  bus.live().connection.publish(subjectOf(bus), JSON.stringify(drain));
}

const subjectOf = (bus: Bus): string => drainSubject(bus.names.namespace, bus.service);

/** Listens for processes that end; an announcement is acknowledged only after it was handled. */
export function hearDrains(bus: Bus): void {
  keepSubscribed(bus, drainSubject(bus.names.namespace, '*'), {
    onMessage: (message) => {
      const drain = Drain.safeParse(readJson(message));
      // A service may announce only itself, which the server's permissions enforce.
      if (!drain.success || !message.subject.endsWith(`.${drain.data.service}`)) return;
      bus.noteDrain(drain.data);
      if (message.reply) message.respond();
    },
  });
}
