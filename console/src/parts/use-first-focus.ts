import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Moves the focus to an element when it appears. The attribute `autofocus` does that only once in a document. */
export function useFirstFocus<Of extends HTMLElement>(isWanted = true): RefObject<Of | null> {
  const element = useRef<Of>(null);
  useLayoutEffect(() => {
    if (isWanted) element.current?.focus();
  }, [isWanted]);
  return element;
}
