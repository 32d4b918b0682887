import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.ts';
import { follow } from '../api/follow.ts';
import { gather } from '../api/gather.ts';
import { pause } from '../api/pause.ts';

/** A burst of changes is looked at this often. */
const pauseMs = 100;

/**
 * Looks again at once when what the caller reaches may have changed, which the API tells them. Only while the page is
 * looked at, since a browser has six connections to a server, for all of its tabs.
 */
export function useAccessWatch(look: () => Promise<unknown>): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
    const watching = new AbortController();
    const { signal } = watching;
    const open = (options: { signal: AbortSignal }) => api.stream('/api/current-user/changes', options);
    // A change during a look is looked at once more.
    const ask = gather(look, { signal, pause: () => pause(pauseMs, signal) });
    void follow(open, { signal, onEvent: ask, onEnd: ask });
    return () => watching.abort();
  }, [isVisible, look]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
