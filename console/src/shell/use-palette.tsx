import { lazy, Suspense, useEffect, useState } from 'react';

const load = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** Ctrl K or ⌘ K opens the palette. It is loaded once a page is there, so that it takes what is typed at once. */
export function usePalette() {
  const [isOpen, open] = useState(false);
  useEffect(() => {
    // Where it can't be loaded now, it is loaded when it is wanted.
    load().catch(() => undefined);
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open(true);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  const palette = isOpen && (
    <Suspense fallback={null}>
      <Palette isOpen={isOpen} onOpen={open} />
    </Suspense>
  );
  return { palette, open: () => open(true) };
}
