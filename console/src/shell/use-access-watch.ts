import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.ts';
import { follow } from '../api/follow.ts';
import { gather } from '../api/gather.ts';
import { pause } from '../api/pause.ts';

/** The minimum time between two checks during a burst of changes. */
const pauseMs = 100;

/**
 * Checks the caller's access again as soon as the API reports a change. Listens only while the page is visible,
 * because a browser shares six connections per server among all its tabs.
 */
export function useAccessWatch(look: () => Promise<unknown>): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
    const watching = new AbortController();
    const { signal } = watching;
    const open = (options: { signal: AbortSignal }) => api.stream('/api/current-user/changes', options);
    // A change during a check triggers another check.
    const ask = gather(look, { signal, pause: () => pause(pauseMs, signal) });
    void follow(open, { signal, onEvent: ask, onEnd: ask });
    return () => watching.abort();
  }, [isVisible, look]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
