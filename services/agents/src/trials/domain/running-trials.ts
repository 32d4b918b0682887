import { maxTrials, maxTrialsOfCaller, maxTrialsOfTenant } from '@botyard/contracts/http/trials';
import { OpenStreams } from '@botyard/shared/http/open-streams';
import type { Worker } from '@botyard/shared/work/worker';
import { GivenUp } from '../../models/domain/given-up.ts';

/** A trial that may run. */
export interface RunningTrial {
  /** Aborted when the trial is abandoned. */
  signal: AbortSignal;
  /** Ends its calls, because the client has disconnected. */
  giveUp(): void;
  end(): void;
}

/** The trials of this process. */
export class RunningTrials implements Worker {
  readonly #open = new OpenStreams({
    max: maxTrials,
    maxOfTenant: maxTrialsOfTenant,
    maxOfCaller: maxTrialsOfCaller,
    reserve: maxTrialsOfTenant,
    maxOfTenantFromReserve: 1,
    what: 'trials',
  });
  readonly #running = new Map<AbortController, Promise<void>>();

  start(): void {}

  /** Aborts all running trials, and waits until their use is counted. */
  async stop(): Promise<void> {
    for (const stop of this.#running.keys()) stop.abort(new GivenUp('the service stops'));
    await Promise.all(this.#running.values());
  }

  /** @throws HttpError 503 when the caller, the tenant or this process has too many. */
  begin({ userId, tenantId }: { userId: string; tenantId: string }): RunningTrial {
    const close = this.#open.open(userId, tenantId);
    const stop = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(stop, promise);
    return {
      signal: stop.signal,
      giveUp: () => stop.abort(new GivenUp('the client has left')),
      end: () => {
        this.#running.delete(stop);
        close();
        resolve();
      },
    };
  }
}
