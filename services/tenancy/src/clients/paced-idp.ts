import { setTimeout as pause } from 'node:timers/promises';
import { HttpError } from '@botyard/shared/http/errors';
import type { IdpClient } from './idp.ts';

interface Pace {
  /** Pause before each call. */
  everyMs: number;
  /** Aborts waiting calls. */
  signal: AbortSignal;
}

const maxAttempts = 5;

/**
 * The same client for background work: one call after another with a pause before each, and retries while the provider
 * asks to wait or doesn't answer. @throws the client's error after 5 attempts, AbortError when stopped.
 */
export function createPacedIdpClient(client: IdpClient, { everyMs, signal }: Pace): IdpClient {
  let last: Promise<unknown> = Promise.resolve();
  const wait = (ms: number) => pause(ms, undefined, { signal, ref: false });
  const attempt = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    for (let attempts = 1; ; attempts += 1) {
      await wait(everyMs);
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof HttpError) || attempts === maxAttempts) throw error;
        await wait((error.retryAfterSeconds ?? 1) * 1000);
      }
    }
  };
  const paced = <Result>(call: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => attempt(call));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    isConfigured: client.isConfigured,
    findUser: (id) => paced(() => client.findUser(id)),
    getUser: (id) => paced(() => client.getUser(id)),
    findVerifiedEmail: (id) => paced(() => client.findVerifiedEmail(id)),
    listUsers: (ids) => paced(() => client.listUsers(ids)),
    getOrganization: (id) => paced(() => client.getOrganization(id)),
    listMembershipsOfUser: (id) => paced(() => client.listMembershipsOfUser(id)),
    listMembershipsOfOrganization: (id, offset) =>
      paced(() => client.listMembershipsOfOrganization(id, offset)),
  };
}
