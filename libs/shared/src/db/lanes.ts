import { currentContext } from '../tracing/context.ts';
import { type Release, Semaphore } from '../work/semaphore.ts';

const busy = 'too many requests wait for the database: try again';
const maxWaiting = 4000;
const maxWaitingOfOne = 1000;
/** Begins the share of a client without a login. */
export const strangersPrefix = 'address:';

/**
 * Divides the connections of a pool. Messages (turns, deliveries, events, loops) and requests each leave some of them
 * to the other, whatever waits there. Within both, owners take turns: tenants in the one; the tenant or person of the
 * checked identity in the other, where no owner holds all connections. Strangers count as one owner there, among whom
 * client addresses take turns.
 */
export class Lanes {
  readonly #messages: Semaphore;
  readonly #requests: Semaphore;
  readonly #strangers: Semaphore;

  /** @param isDivided whether messages and requests share the pool; otherwise only one of them uses it. */
  constructor(connections: number, { isDivided }: { isDivided: boolean }) {
    const limits = { maxWaiting, maxWaitingOfOne, busy };
    const [ofMessages, ofRequests] = isDivided
      ? [connections - 2, connections - 3]
      : [connections, connections];
    this.#messages = new Semaphore(atLeastOne(ofMessages), {
      maxOfOne: atLeastOne(ofMessages - 1),
      ...limits,
    });
    this.#requests = new Semaphore(atLeastOne(ofRequests), {
      maxOfOne: atLeastOne(ofRequests - 2),
      ...limits,
    });
    this.#strangers = new Semaphore(atLeastOne(ofRequests - 3), { ...limits, maxOfOne: 1 });
  }

  /**
   * Resolves when the current work may use a connection.
   * @param owner whose work it is, if it isn't a request.
   * @throws HttpError 503 after `maxWaitMs`, or when too much of the same owner waits.
   */
  async enter(owner: string, maxWaitMs: number): Promise<Release> {
    const share = currentContext()?.share;
    if (share === undefined) return await this.#messages.acquire(owner, maxWaitMs);
    if (!share.startsWith(strangersPrefix)) return await this.#requests.acquire(share, maxWaitMs);
    const beganAt = performance.now();
    const leave = await this.#strangers.acquire(share, maxWaitMs);
    try {
      const leftMs = Math.max(0, maxWaitMs - (performance.now() - beganAt));
      const release = await this.#requests.acquire('strangers', leftMs);
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}

const atLeastOne = (count: number): number => Math.max(1, count);
