import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { IconButton } from './controls.tsx';
import { hasChanges } from './editing.tsx';

export interface PopupProps {
  title: string;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** Returns the element that gets the focus afterwards, if it isn't the one that had it before. */
  focusAfterwards?: () => Element | null | undefined;
  /** As wide as the window, for pictures. */
  isWide?: boolean;
  children: ReactNode;
}

/**
 * A dialog. It doesn't use the primitive's overlay, whose inline style the content policy blocks. A click beside it
 * closes it, unless something has been typed into it.
 */
export function PopupDialog({
  title,
  isOpen,
  onOpen,
  focusAfterwards,
  isWide = false,
  children,
}: PopupProps) {
  const content = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  const focusFirstField = (event: Event) => {
    opener.current = document.activeElement;
    const field = content.current?.querySelector<HTMLElement>('form :is(input, select, textarea)');
    if (!field) return;
    event.preventDefault();
    field.focus();
  };
  // The primitive gives the focus back to triggers of its own only, and a moment after a key may have moved it.
  const giveFocusBack = (event: Event) => {
    event.preventDefault();
    if (document.activeElement !== document.body && !focusAfterwards) return;
    const elements = [focusAfterwards?.(), opener.current, document.getElementById('page')];
    const next = elements.find((element) => element?.isConnected && element !== document.body);
    (next as HTMLElement | undefined)?.focus();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpen}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 animate-appear bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={giveFocusBack}
          onPointerDownOutside={(event) => hasChanges(content.current) && event.preventDefault()}
          className={`fixed inset-x-4 z-50 mx-auto grid animate-rise gap-4 overflow-auto rounded-xl border border-line bg-panel shadow-raised ${isWide ? 'top-[3vh] max-h-[94vh] w-fit p-3' : 'top-[8vh] max-h-[84vh] max-w-2xl p-5'}`}
        >
          <div className="flex items-center justify-between gap-3">
            <Dialog.Title dir="auto" className="min-w-0 text-lg font-semibold [overflow-wrap:anywhere]">
              {title}
            </Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} label="Close" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
