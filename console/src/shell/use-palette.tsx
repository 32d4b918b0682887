import { lazy, Suspense, useEffect, useState } from 'react';
import { loadPopup } from '../parts/popup.tsx';
import { useAfterFirstView } from './use-after-first-view.ts';

const load = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

const laterParts = [loadPopup, load];

/** Opens the palette on Ctrl K or ⌘ K. Its code is preloaded after the page, so it accepts input immediately. */
export function usePalette() {
  const [isOpen, open] = useState(false);
  useAfterFirstView(laterParts);
  useEffect(() => {
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
