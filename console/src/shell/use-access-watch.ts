import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.ts';

const soonestMs = 200;
const latestMs = 30_000;
/** A stream that has lasted for so long was none that is refused again and again. */
const lastedMs = 10_000;

/**
 * Calls `ask` at once when what the caller reaches may have changed, which the API tells them. Only while the page is looked at, since a browser
 * has six connections to a server, for all of its tabs.
 */
export function useAccessWatch(ask: () => void): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
    const watching = new AbortController();
    void follow(watching.signal, ask);
    return () => watching.abort();
  }, [isVisible, ask]);
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
      for await (const _ of api.stream('/api/current-user/changes', { signal })) ask();
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
