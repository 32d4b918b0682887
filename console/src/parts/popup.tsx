import { lazy, Suspense, useState } from 'react';
import type { PopupProps } from './popup-dialog.tsx';

/** Loads the code of dialogs, which no first view needs. */
export const loadPopup = () => import('./popup-dialog.tsx');
const PopupDialog = lazy(async () => ({ default: (await loadPopup()).PopupDialog }));

/** A dialog. Its code is loaded after the first view, or when the first one opens. */
export function Popup(props: PopupProps) {
  const [wasOpened, remember] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) remember(true);
  if (!wasOpened) return null;
  return (
    <Suspense fallback={null}>
      <PopupDialog {...props} />
    </Suspense>
  );
}
