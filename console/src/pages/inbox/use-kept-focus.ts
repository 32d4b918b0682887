import { type RefObject, useLayoutEffect, useRef } from 'react';

/** A chat that is being closed had the focus, and nothing has it yet. */
let isFocusLost = false;

/**
 * Moves the focus into the chat that opens if the element that had it is gone: with the chat before, or with the list,
 * which a phone hides. When the last chat closes, its link in the list gets the focus.
 */
export function useKeptFocus(chatId: string): RefObject<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const opened = pane.current;
    if (isFocusLost || document.activeElement?.checkVisibility() === false) opened?.focus();
    isFocusLost = false;
    return () => {
      if (!opened?.contains(document.activeElement)) return;
      isFocusLost = true;
      queueMicrotask(() => {
        if (isFocusLost) document.querySelector<HTMLElement>(`a[href*="/inbox/${chatId}"]`)?.focus();
        isFocusLost = false;
      });
    };
  }, [chatId]);
  return pane;
}
