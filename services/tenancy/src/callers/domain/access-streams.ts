import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import { currentUserEvents } from '@botyard/contracts/http/current-user';
import { type EventStream, type StreamClient, writeEvent } from '@botyard/contracts/http/event-stream';
import { type Caller, type CallerDirectory, identityOf } from '@botyard/shared/auth/caller';
import { watch } from '@botyard/shared/bus/broadcast';
import { OpenStreams } from '@botyard/shared/http/open-streams';
import type { Foundation } from '@botyard/shared/service/foundation';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { Worker } from '@botyard/shared/work/worker';
import { toCurrentUser } from './current-user.ts';

const looksAtOnce = 4;

interface Listener {
  /** The person as last resolved. */
  caller: Caller;
  client: StreamClient;
  told: string | undefined;
  isLooking: boolean;
  /** Whether something may have changed since the last check. */
  isDue: boolean;
}

type StreamDeps = Pick<Foundation, 'bus' | 'log' | 'metrics'> & { callers: CallerDirectory };

/**
 * Streams a person's own reach to them: immediately, and after each change of it (REQ-REL-14: within 1 s). Streams
 * never contain data of others.
 */
export class AccessStreams implements Worker {
  readonly #deps: StreamDeps;
  readonly #streams = new OpenStreams();
  readonly #listeners = new Set<Listener>();
  readonly #looks = new Semaphore(looksAtOnce);

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    const about = 'Clients that listen to GET /api/current-user/changes';
    deps.metrics.gauge('access_listeners', about, () => this.#streams.count);
  }

  start(): void {
    const { bus } = this.#deps;
    const onGap = () => this.#lookAgain(() => true);
    watch(bus, accessChanged, {
      onEvent: ({ idpUserId }) => this.#lookAgain(({ caller }) => caller.idpUserId === idpUserId),
      onGap,
    });
    watch(bus, authorizationChanged, {
      onEvent: ({ tenantId }) => this.#lookAgain(({ caller }) => caller.roles.has(tenantId)),
      onGap,
    });
  }

  async stop(): Promise<void> {
    for (const { client } of this.#listeners) client.end();
  }

  /**
   * @throws HttpError 503 when the person, their tenant or this process has too many streams, or while the bus is
   * unavailable.
   */
  listen(caller: Caller): EventStream {
    this.#deps.bus.live();
    const release = this.#streams.open(caller.userId, caller.activeTenantId);
    return {
      open: (client) => {
        const listener: Listener = { caller, client, told: undefined, isLooking: false, isDue: false };
        this.#listeners.add(listener);
        void this.#look(listener);
        return () => {
          this.#listeners.delete(listener);
          release();
        };
      },
    };
  }

  #lookAgain(isMeant: (listener: Listener) => boolean): void {
    for (const listener of this.#listeners) if (isMeant(listener)) void this.#look(listener);
  }

  /** One more check is enough for any number of changes during a check. */
  async #look(listener: Listener): Promise<void> {
    listener.isDue = true;
    if (listener.isLooking) return;
    listener.isLooking = true;
    while (listener.isDue && this.#listeners.has(listener)) {
      listener.isDue = false;
      await this.#looks
        .run(listener.caller.userId, () => this.#tell(listener))
        .catch((error: unknown) => {
          // Ends the stream, so that the person isn't left with stale data. Clients reconnect later.
          this.#deps.log.warn({ err: error }, 'could not read the reach of a person with an open stream');
          listener.client.end();
        });
    }
    listener.isLooking = false;
  }

  async #tell(listener: Listener): Promise<void> {
    const { caller } = await this.#deps.callers.resolve(identityOf(listener.caller), { fresh: true });
    if (!caller) return listener.client.end();
    listener.caller = caller;
    const json = JSON.stringify(currentUserEvents['current_user.changed'].parse(toCurrentUser(caller)));
    if (json === listener.told) return;
    listener.told = json;
    listener.client.send(writeEvent({ event: 'current_user.changed', json }));
  }
}
