import { useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { useMayChange } from '../api/acting.tsx';
import { Button } from './controls.tsx';
import { Popup } from './popup.tsx';
import { useChangeSearch } from './use-change-search.ts';

/** A thing that a page creates in a dialog. */
export interface Creation {
  /** The value of `create` in the address while the dialog is open. */
  name: string;
  /** The title of the dialog, for example "New bot". The button that opens it has the same words. */
  title: string;
}

function useOpenCreation() {
  const change = useChangeSearch({ replace: true });
  return (name: string | undefined) => change({ create: name });
}

interface CreateButtonProps {
  creation: Creation;
  look?: ComponentProps<typeof Button>['look'];
}

/** A button that opens the dialog of a creation. Members, who may only read, don't see it. */
export function CreateButton({ creation: { name, title }, look = 'main' }: CreateButtonProps) {
  const open = useOpenCreation();
  if (!useMayChange()) return null;
  return (
    <Button look={look} icon={Plus} data-create={name} onClick={() => open(name)}>
      {title} …
    </Button>
  );
}

interface SectionHeadingProps {
  title: string;
  /** The thing that the section's button creates, if it can be created now. */
  creation: Creation | undefined;
}

/** The heading of a section, with its button. */
export function SectionHeading({ title, creation }: SectionHeadingProps) {
  const heading = <h2 className="text-lg font-semibold">{title}</h2>;
  if (!creation) return heading;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      {heading}
      <CreateButton creation={creation} look="plain" />
    </div>
  );
}

/** Closes the dialog of a creation. It is called with the key of the new row if the page's table shows it. */
export type OnCreated = (rowKey?: string) => void;

interface CreateDialogProps {
  creation: Creation;
  children: (onCreated: OnCreated) => ReactNode;
}

/** The dialog of a creation. Afterwards the new row has the focus, or else the button that opened the dialog. */
export function CreateDialog({ creation: { name, title }, children }: CreateDialogProps) {
  const { create } = useSearch({ strict: false });
  const open = useOpenCreation();
  const created = useRef<string>(undefined);
  const mayChange = useMayChange();
  const elementToFocus = () => {
    const row = created.current && document.querySelector(`tr[data-key="${CSS.escape(created.current)}"]`);
    created.current = undefined;
    return row || document.querySelector(`[data-create="${name}"]`);
  };
  return (
    <Popup
      title={title}
      isOpen={mayChange && create === name}
      onOpen={(isOpen) => open(isOpen ? name : undefined)}
      focusAfterwards={elementToFocus}
    >
      {children((rowKey) => {
        created.current = rowKey;
        open(undefined);
      })}
    </Popup>
  );
}
