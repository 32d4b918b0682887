import { PermissionViolationError, RequestError } from '@nats-io/transport-node';
import { createPeriodic } from '../work/periodic.ts';
import type { Worker } from '../work/worker.ts';
import type { Bus } from './bus.ts';
import { isNoResponder } from './connecting.ts';
import { createRightsCheck } from './rights.ts';

/** Together with the duration of a check and the 5 s until a failure is shown, less than 10 s (REQ-REL-22). */
const lookEveryMs = 2000;
const canaryTimeoutMs = 2000;
/**
 * A server that accepts no message for this long is left for another one. An election of a new leader takes less
 * time.
 */
const leaveAfterMs = 10_000;
/** A server with an older configuration doesn't report the rights of a login, and logs each request for them. */
const askAgainAfterMs = 60_000;

interface BusWatchOptions {
  bus: Bus;
  /** Called when a publish is not acknowledged; the stream may be missing. */
  onStreamMissing(): void;
}

/**
 * Publishes every 2 s and checks the rights of the service's login, so that a fault that blocks events, requests or
 * acknowledgements shows even without traffic. In a cluster, a server that accepts no message is left for another
 * one.
 */
export class BusWatch implements Worker {
  readonly #bus: Bus;
  readonly #onStreamMissing: () => void;
  readonly #missingRights: () => Promise<string[]>;
  readonly #periodic: Worker;
  #failingSince: number | undefined;
  #askRightsAt = 0;

  constructor({ bus, onStreamMissing }: BusWatchOptions) {
    this.#bus = bus;
    this.#onStreamMissing = onStreamMissing;
    this.#missingRights = createRightsCheck(bus);
    const work = () => this.#look();
    this.#periodic = createPeriodic({ name: 'watch the bus', everyMs: lookEveryMs, work, log: bus.log });
    bus.onReconnect(() => {
      this.#failingSince = undefined;
      this.#askRightsAt = 0;
    });
  }

  start(): void {
    this.#periodic.start();
  }

  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** A lost connection is reported separately. */
  async #look(): Promise<void> {
    if (this.#bus.isConnected) await Promise.all([this.#publish(), this.#askRights()]);
  }

  async #publish(): Promise<void> {
    const { stalls } = this.#bus;
    try {
      await publishCanary(this.#bus);
      stalls.recovered('publishing');
      this.#failingSince = undefined;
    } catch (error) {
      if (!this.#bus.isConnected) return;
      const reason = `NATS takes no message: ${error instanceof Error ? error.message : String(error)}`;
      const remedy = `Look at nats-server's disk, at its cluster, and at what its user ${this.#bus.service} may publish.`;
      stalls.failed('publishing', { reason, remedy, error });
      if (isNoResponder(error)) this.#onStreamMissing();
      await this.#leaveServer();
    }
  }

  async #leaveServer(): Promise<void> {
    this.#failingSince ??= performance.now();
    if (performance.now() - this.#failingSince >= leaveAfterMs) await this.#bus.changeServer();
  }

  async #askRights(): Promise<void> {
    if (performance.now() < this.#askRightsAt) return;
    const { stalls, service } = this.#bus;
    try {
      const missing = await this.#missingRights();
      if (missing.length === 0) return stalls.recovered('permissions');
      const others = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
      stalls.failed('permissions', {
        reason: `nats-server doesn't let the service publish to ${missing[0]}${others}`,
        remedy: `Give the user ${service} of nats-server the permissions that this version needs.`,
      });
    } catch (error) {
      // While the server gives no answer, the canary reports the fault.
      if (isRefused(error)) this.#askRightsAt = performance.now() + askAgainAfterMs;
    }
  }
}

/** Succeeds only if the stream acknowledges the publish; an open port is not enough (REQ-REL-6). */
export async function publishCanary(bus: Bus): Promise<void> {
  const { jetstream } = bus.live();
  await jetstream.publish(bus.names.canary(bus.service), '', { timeout: canaryTimeoutMs, ttl: '1m' });
}

const isRefused = (error: unknown): boolean =>
  error instanceof RequestError && error.cause instanceof PermissionViolationError;
