import type { Router } from '@botyard/contracts/http/contract';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { networkOf } from '@botyard/shared/http/client-address';
import { type Release, Semaphore } from '@botyard/shared/work/semaphore';
import { isUnder } from './request-target.ts';

const limits = {
  maxWaitMs: 5000,
  maxWaitingOfOne: 1000,
  maxWaiting: 10_000,
  busy: 'too many of your requests are in progress: try again',
};
export const maxOfPerson = 32;
export const maxOfAddress = 64;

interface Requested {
  method: string | undefined;
  path: string;
  /** The person's name; `undefined` without a login. */
  person: string | undefined;
  address: string;
}

/**
 * Bounds how many requests of one person, or of one client address without a login, are at work in the services at a
 * time; more of them wait in turn. That limits nobody's rate (the API has no such limit), and nobody else waits.
 * Webhooks aren't counted: a platform's address delivers for all tenants. Neither are event streams, which have limits
 * of their own.
 */
export class RequestsInFlight {
  readonly #people = new Semaphore(Number.POSITIVE_INFINITY, { maxOfOne: maxOfPerson, ...limits });
  readonly #addresses = new Semaphore(Number.POSITIVE_INFINITY, { maxOfOne: maxOfAddress, ...limits });
  readonly #isStream: (method: string | undefined, path: string) => boolean;

  constructor(routers: Iterable<Router>) {
    this.#isStream = streamRoutes([...routers]);
  }

  /** Resolves when the request may be forwarded. @throws HttpError 503 when it has waited for 5 s. */
  async enter({ method, path, person, address }: Requested): Promise<Release> {
    if (!isUnder(path, '/api') || this.#isStream(method, path)) return () => undefined;
    if (person !== undefined) return await this.#people.acquire(person);
    return await this.#addresses.acquire(networkOf(address));
  }
}

function streamRoutes(routers: readonly Router[]): (method: string | undefined, path: string) => boolean {
  const patterns = routers.flatMap(({ basePath, routes }) =>
    Object.values(routes)
      .filter(({ response }) => response === EventStream)
      .map(({ method, path }) => ({
        method: method.toUpperCase(),
        path: new RegExp(`^${`${basePath}${path === '/' ? '' : path}`.replace(/:\w+/g, '[^/]+')}/?$`, 'i'),
      })),
  );
  return (method, path) => patterns.some((one) => one.method === method && one.path.test(path));
}
