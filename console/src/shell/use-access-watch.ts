import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.ts';

interface AccessWatch {
  tenantId: string | null;
  /** Whether events of the tenant are for the caller: they are for admins alone. */
  mayListen: boolean;
  /** Asks once more who the caller is and what they reach. */
  ask: () => void;
}

/** Who may not listen asks as often as this. The services remember the answer, for half a minute or until it changes. */
const askEveryMs = 500;
const soonestMs = 200;
const latestMs = 30_000;
/** A stream that has lasted for so long was none that is refused again and again. */
const lastedMs = 10_000;

/**
 * Asks at once when the caller's access to the tenant may have ended: the stream of its events ends then. Only while the page is looked at,
 * since a browser has six connections to a server, for all of its tabs.
 */
export function useAccessWatch({ tenantId, mayListen, ask }: AccessWatch): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (tenantId === null || !isVisible) return;
    ask();
    if (!mayListen) {
      const timer = setInterval(ask, askEveryMs);
      return () => clearInterval(timer);
    }
    const watching = new AbortController();
    void follow(watching.signal, ask);
    return () => watching.abort();
  }, [tenantId, mayListen, isVisible, ask]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}

async function follow(signal: AbortSignal, ask: () => void): Promise<void> {
  let pauseMs = soonestMs;
  while (!signal.aborted) {
    const begin = performance.now();
    try {
      for await (const _ of api.stream('/api/events', { signal }));
    } catch {
      // Refused, or nobody there: whoever asks next is told which.
    }
    if (signal.aborted) return;
    ask();
    pauseMs = performance.now() - begin > lastedMs ? soonestMs : Math.min(pauseMs * 2, latestMs);
    await pause(pauseMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
