import type { Worker } from '@botyard/shared/work/worker';
import { createPacedIdpClient } from '../../clients/paced-idp.ts';
import type { Deps } from '../deps.ts';
import { whenDue } from '../store/reconciliations.ts';
import { reconcile } from './reconcile.ts';

/** The provider allows a development instance 10 calls a second, and half of that is left to other work. */
const pauseMs = 200;
/** Soon after a start, because events may have been missed during the downtime. */
const firstAfterMs = 10_000;

/** Compares everything with the identity provider periodically; only one instance at a time. */
export function createReconciler(
  deps: Pick<Deps, 'idp' | 'database' | 'outbox' | 'log'>,
  everyMs: number,
): Worker {
  const ending = new AbortController();
  const idp = createPacedIdpClient(deps.idp, {
    everyMs: Math.min(pauseMs, everyMs / 10),
    signal: ending.signal,
  });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      await whenDue(deps.database, everyMs, () => reconcile({ ...deps, idp }));
    } catch (error) {
      if (!ending.signal.aborted) {
        deps.log.warn({ err: error }, 'reconciling with the identity provider failed: it will be retried');
      }
    }
    if (!ending.signal.aborted) schedule(everyMs);
  };
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, delayMs).unref();
  };
  return {
    start: () => schedule(Math.min(firstAfterMs, everyMs)),
    stop: async () => {
      ending.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
