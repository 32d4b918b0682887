import { type StaffPresence, staffPresence } from '@botyard/contracts/events/chat-hints';
import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { EventStream } from '@botyard/contracts/http/event-stream';
import { liveEvents } from '@botyard/contracts/http/live';
import { watch } from '@botyard/shared/bus/broadcast';
import { EventTail, type TailedEvent } from '@botyard/shared/bus/event-tail';
import { listenInEveryInstance } from '@botyard/shared/bus/signals';
import { OpenStreams } from '@botyard/shared/http/open-streams';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Drain } from '@botyard/shared/system/questions';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { Worker } from '@botyard/shared/work/worker';
import { Channel, type Following } from './channel.ts';
import { followedEvents } from './happenings.ts';
import { Listener, type ListenerOptions } from './listener.ts';
import { type FollowedOwner, followedOwners, type Position, readPosition } from './position.ts';
import { PresentStaff } from './present-staff.ts';

/** The time within which a listener can reconnect and resume. */
const resumableMs = 3600_000;
const maxMissed = 1000;
/** Limits on concurrent reads of the database, and on concurrent access checks. */
const readsAtOnce = 4;
const checksAtOnce = 20;

/** Manages the listeners of live events. It follows the bus only while there are listeners. */
export class LiveHub implements Worker {
  readonly #deps: Foundation;
  readonly #channels = new Map<string, Channel>();
  readonly #present = new PresentStaff();
  readonly #streams = new OpenStreams();
  readonly #reads = new Semaphore(readsAtOnce);
  readonly #checks = new Semaphore(checksAtOnce);
  readonly #bus: Following = {
    position: () => this.#position(),
    listSince: (from, tenantId) => this.#listSince(from, tenantId),
  };
  #tails: readonly EventTail[] = [];
  #following: Promise<void> | undefined;

  constructor(deps: Foundation) {
    this.#deps = deps;
    deps.metrics.gauge('live_listeners', 'Clients that listen to GET /api/events', () => this.#streams.count);
  }

  start(): void {
    this.#deps.bus.onDrain((drain) => this.#mention(drain));
  }

  /** Has to be called after the connection to the bus is established. */
  watch(): void {
    const { bus } = this.#deps;
    listenInEveryInstance(bus, staffPresence, (presence) => this.#showPresence(presence));
    this.#watchAccess();
  }

  #watchAccess(): void {
    const { bus } = this.#deps;
    const onGap = () => this.#checkAgain(() => true);
    const ofTenant = ({ tenantId }: { tenantId: string }) => {
      // A responder's bots may have changed: they connect again, and resume with those of now.
      for (const listener of [...this.#listeners()])
        if (listener.options.tenantId === tenantId && listener.options.botIds !== null) listener.end();
      this.#checkAgain(({ options }) => options.tenantId === tenantId);
    };
    watch(bus, accessChanged, {
      onEvent: ({ idpUserId }) => this.#checkAgain(({ options }) => options.idpUserId === idpUserId),
      onGap,
    });
    watch(bus, authorizationChanged, { onEvent: ofTenant, onGap });
  }

  async stop(): Promise<void> {
    for (const listener of this.#listeners()) listener.end();
    this.#stopFollowing();
  }

  /**
   * Opens a caller's event stream, from now on or from their last position. @throws HttpError 503 when the caller,
   * the tenant or this process has too many streams, or while the bus is unavailable.
   */
  async listen(options: ListenerOptions, lastEventId: string | undefined): Promise<EventStream> {
    const close = this.#streams.open(options.userId, options.tenantId);
    const release = () => {
      close();
      if (this.#streams.count === 0) this.#stopFollowing();
    };
    try {
      return await this.#prepare(options, lastEventId, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #prepare(
    options: ListenerOptions,
    lastEventId: string | undefined,
    release: () => void,
  ): Promise<EventStream> {
    this.#deps.bus.live();
    await this.#follow();
    const now = this.#position();
    const left = lastEventId === undefined ? now : this.#continuing(lastEventId, now);
    const listener = new Listener(options, left ?? now);
    const channel = this.#channelOf(options.tenantId);
    channel.listeners.add(listener);
    const leave = () => {
      this.#leave(channel, listener);
      release();
    };
    const missed = await (left ? channel.missed.since(left) : null)?.catch((error: unknown) => {
      this.#leave(channel, listener);
      throw error;
    });
    // Access may have changed between its check and the listener's registration.
    this.#checkAgain((one) => one === listener);
    return {
      open: (client) => {
        listener.open(client, missed ?? null);
        for (const { userId, happening } of this.#present.of(options.tenantId))
          if (userId !== options.userId) listener.mention(happening);
        return leave;
      },
    };
  }

  #leave({ listeners }: Channel, listener: Listener): void {
    const { tenantId } = listener.options;
    listeners.delete(listener);
    if (listeners.size === 0 && this.#channels.get(tenantId)?.listeners === listeners)
      this.#channels.delete(tenantId);
  }

  #channelOf(tenantId: string): Channel {
    const openChannel = this.#channels.get(tenantId);
    if (openChannel) return openChannel;
    const channel = new Channel(tenantId, { deps: this.#deps, following: this.#bus, reads: this.#reads });
    this.#channels.set(tenantId, channel);
    return channel;
  }

  #follow(): Promise<void> {
    if (this.#following !== undefined) return this.#following;
    const { bus } = this.#deps;
    const common = {
      bus,
      isWanted: (tenantId: string) => this.#channels.has(tenantId),
      onEvent: (event: TailedEvent) => this.#channels.get(event.tenantId)?.push(event),
      onLost: () => {
        for (const channel of this.#channels.values()) channel.reset(this.#position());
      },
    };
    this.#tails = followedOwners.map(
      (owner) =>
        new EventTail({ ...common, owner, events: followedEvents.filter((event) => event.owner === owner) }),
    );
    this.#following = Promise.all(this.#tails.map((tail) => tail.start())).then(() => undefined);
    return this.#following;
  }

  #stopFollowing(): void {
    for (const tail of this.#tails) tail.stop();
    this.#tails = [];
    this.#following = undefined;
  }

  #position(): Position {
    const of = (owner: FollowedOwner) =>
      this.#tails.find((tail) => tail.owner === owner)?.position ?? { createdMs: 0, seq: 0 };
    return { webhooks: of('webhooks'), agents: of('agents'), usage: of('usage') };
  }

  /** The position that a listener resumes from; `null` when it isn't in the current streams. */
  #continuing(lastEventId: string, now: Position): Position | null {
    const left = readPosition(lastEventId);
    if (!left || left.atMs < Date.now() - resumableMs) return null;
    // A stream that didn't exist yet has no known events.
    const isSame = (owner: FollowedOwner) =>
      left.position[owner].createdMs === now[owner].createdMs || left.position[owner].createdMs === 0;
    if (!followedOwners.every(isSame)) return null;
    const from = (owner: FollowedOwner) => ({ ...now[owner], seq: left.position[owner].seq });
    return { webhooks: from('webhooks'), agents: from('agents'), usage: from('usage') };
  }

  /** Events since a position. Streams without new events since then aren't read. */
  async #listSince(from: Position, tenantId: string): Promise<readonly TailedEvent[] | null> {
    const now = this.#position();
    const lists = await Promise.all(
      this.#tails.map((tail) => {
        const { seq } = from[tail.owner as FollowedOwner];
        return seq >= now[tail.owner as FollowedOwner].seq ? [] : tail.listSince(seq, tenantId, maxMissed);
      }),
    );
    if (lists.includes(null)) return null;
    return lists.flatMap((list) => list ?? []).sort((one, other) => one.atMs - other.atMs);
  }

  *#listeners(): Iterable<Listener> {
    for (const { listeners } of this.#channels.values()) yield* listeners;
  }

  #checkAgain(isMeant: (listener: Listener) => boolean): void {
    for (const listener of [...this.#listeners()].filter(isMeant)) {
      // The stream ends unless the check succeeds with access. The client reconnects when the check works again.
      void this.#checks
        .run(listener.options.tenantId, () => listener.options.mayStill())
        .catch(() => false)
        .then((may) => {
          if (!may) listener.end();
        });
    }
  }

  #showPresence(presence: StaffPresence): void {
    const { tenantId, userId, happening } = this.#present.record(presence);
    for (const listener of this.#channels.get(tenantId)?.listeners ?? [])
      if (listener.options.userId !== userId) listener.mention(happening);
  }

  #mention({ service, instanceId, state }: Drain): void {
    const data = liveEvents['service.changed'].parse({ serviceName: service, instanceId, state });
    const happening = { name: 'service.changed', json: JSON.stringify(data) } as const;
    for (const listener of this.#listeners()) if (listener.options.isOperator) listener.mention(happening);
  }
}
