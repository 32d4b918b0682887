import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Passes the focus on to what is around a part, when the part goes while it has the focus. */
export function useFocusPassedOn<Of extends HTMLElement>(): RefObject<Of | null> {
  const part = useRef<Of>(null);
  useLayoutEffect(() => {
    const own = part.current;
    return () => {
      if (own?.contains(document.activeElement)) own.closest<HTMLElement>('[tabindex="-1"]')?.focus();
    };
  }, []);
  return part;
}
