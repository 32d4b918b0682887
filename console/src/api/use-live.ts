import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useActing } from './acting.tsx';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { isAbout, LiveStream, type Topic } from './live-stream.ts';
import { pause } from './pause.ts';

/** However much happens, an answer is read once in so long. */
const pauseMs = 1000;

const live = new LiveStream((options) => api.stream('/api/events', options));
document.addEventListener('visibilitychange', () => live.look(document.visibilityState === 'visible'));
live.look(document.visibilityState === 'visible');

/**
 * Reads an answer anew when an event tells of it, and when something may have been missed. Returns whether everything
 * is told: while it isn't, the answer has to be asked for.
 */
export function useLive(topic: Topic | undefined, queryKey: QueryKey): boolean {
  const queries = useQueryClient();
  const { as, tenantId } = useActing();
  const wanted = topic && tenantId !== null ? JSON.stringify([topic, queryKey]) : null;
  useEffect(() => {
    if (wanted === null) return;
    const [about, key] = JSON.parse(wanted) as [Topic, QueryKey];
    const leaving = new AbortController();
    const readAnew = async () => {
      // A first answer that is on its way isn't asked for again, and may be older than what was told.
      if (queries.getQueryData(key) === undefined)
        await queries.refetchQueries({ queryKey: key, exact: true });
      await queries.refetchQueries({ queryKey: key, exact: true });
    };
    const ask = gather(readAnew, { signal: leaving.signal, pause: () => pause(pauseMs, leaving.signal) });
    const leave = live.listen(`${as} ${tenantId}`, (told) => {
      if (isAbout(about, told)) ask();
    });
    return () => {
      leaving.abort();
      leave();
    };
  }, [queries, as, tenantId, wanted]);
  return useSyncExternalStore(live.watch, live.isOpen) && wanted !== null;
}
