import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api/api.ts';
import { follow } from '../api/follow.ts';

/**
 * Calls `ask` at once when what the caller reaches may have changed, which the API tells them. Only while the page is looked at, since a browser
 * has six connections to a server, for all of its tabs.
 */
export function useAccessWatch(ask: () => void): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isVisible) return;
    const watching = new AbortController();
    const open = ({ signal }: { signal: AbortSignal }) => api.stream('/api/current-user/changes', { signal });
    void follow(open, { signal: watching.signal, onEvent: ask, onEnd: ask });
    return () => watching.abort();
  }, [isVisible, ask]);
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
