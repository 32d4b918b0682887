import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { useActing } from './acting.tsx';
import { api } from './api.ts';
import { gather } from './gather.ts';
import { isAbout, LiveStream, type Told, type Topic } from './live-stream.ts';
import { pause } from './pause.ts';
import { whenIdle } from './when-idle.ts';

/** The minimum time between two refetches of a response. */
const pauseMs = 1000;

const live = new LiveStream((options) => api.stream('/api/events', options));
document.addEventListener('visibilitychange', () => live.look(document.visibilityState === 'visible'));
live.look(document.visibilityState === 'visible');

/** Keeps the events coming while the tab is hidden. */
export const keepLive = (isKept: boolean): void => live.keep(isKept);

/**
 * Refetches a response when one of its events arrives, and when events may have been missed. Returns true while the
 * event stream is open; otherwise the caller has to poll.
 */
export function useLive(topic: Topic | undefined, queryKey: QueryKey): boolean {
  const queries = useQueryClient();
  const { as, tenantId } = useActing();
  const wanted = topic && tenantId !== null ? JSON.stringify([topic, queryKey]) : null;
  useEffect(() => {
    if (wanted === null) return;
    const [about, key] = JSON.parse(wanted) as [Topic, QueryKey];
    const leaving = new AbortController();
    // The response to a request in flight may predate the event.
    const readAnew = () =>
      whenIdle(queries, key, () => queries.refetchQueries({ queryKey: key, exact: true }));
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

/** Calls back with each live event of the tenant, and with `missed` when some may have been lost. */
export function useLiveEvents(onEvent: (told: Told) => void): void {
  const { as, tenantId } = useActing();
  const tell = useEffectEvent(onEvent);
  useEffect(() => {
    if (tenantId !== null) return live.listen(`${as} ${tenantId}`, (told) => tell(told));
  }, [as, tenantId]);
}
