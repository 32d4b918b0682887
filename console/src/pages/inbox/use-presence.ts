import type { ChatPresence } from '@botyard/contracts/http/interactions-presence';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { api } from '../../api/api.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { chatPath } from './actions.ts';
import { type Presence, Presences } from './presences.ts';

const presencePath = `${chatPath}/presence` as const;
const renewEveryMs = 10_000;
/** Somebody who types is shown again after this time, and no longer after as much without a key. */
const typingLastsMs = 4000;

const presences = new Presences();

/** Keeps what the live events tell of colleagues at chats. One component of the inbox calls it. */
export function useHearPresences(): void {
  useLiveEvents((told) => {
    if (told === 'missed') presences.clear();
    else if (told.type === 'chat.presence') presences.hear(told.data as ChatPresence);
  });
}

/** The colleagues who have the chat open. */
export const useColleagues = (chatId: string): readonly Presence[] =>
  useSyncExternalStore(presences.watch, () => presences.of(chatId));

/**
 * Shows colleagues that the chat is open here while the tab is visible. Returns a function to call when the person
 * types, or stops. Nothing is said about a failure: the next call comes soon.
 */
export function useShowPresence(chatId: string): (isTyping: boolean) => void {
  const mayChange = useMayChange();
  const typedAt = useRef<number>(undefined);
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback(
    (isTyping: boolean) => {
      if (!mayChange || document.visibilityState !== 'visible') return;
      void api.put(presencePath, { params: { path: { chatId } }, body: { isTyping } }).catch(() => undefined);
    },
    [mayChange, chatId],
  );
  const type = useCallback(
    (isTyping: boolean) => {
      clearTimeout(quiet.current);
      const now = Date.now();
      const isShown = typedAt.current !== undefined && now - typedAt.current < typingLastsMs;
      if (isTyping) quiet.current = setTimeout(() => type(false), typingLastsMs);
      if (isTyping ? isShown : typedAt.current === undefined) return;
      typedAt.current = isTyping ? now : undefined;
      show(isTyping);
    },
    [show],
  );
  useEffect(() => {
    if (!mayChange) return;
    const leave = () =>
      void api.delete(presencePath, { params: { path: { chatId } } }).catch(() => undefined);
    const look = () => (document.visibilityState === 'visible' ? show(false) : leave());
    show(false);
    const renewing = setInterval(() => {
      if (typedAt.current === undefined) show(false);
    }, renewEveryMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(renewing);
      clearTimeout(quiet.current);
      typedAt.current = undefined;
      document.removeEventListener('visibilitychange', look);
      leave();
    };
  }, [mayChange, chatId, show]);
  return type;
}
