import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from './controls.tsx';

interface EditingProps<Value> {
  /** The newest stored value. */
  value: Value;
  /** Differs for each stored value. */
  version: string | number;
  /** The action that saves the form's own change. */
  sending: { isPending: boolean; error: Error | null };
  /** The consequence of saving the changes although there is a newer value. */
  saving?: string;
  /** The form for the value. It starts anew with each value that it gets. */
  children: (value: Value) => ReactNode;
}

/**
 * Shows a form for a stored value. A newer value replaces the form, unless the form has unsaved changes: then it stays,
 * and a note offers the newer value.
 */
export function Editing<Value>({
  value,
  version,
  sending: { isPending, error },
  saving = 'Saving them replaces that version.',
  children,
}: EditingProps<Value>) {
  const place = useRef<HTMLDivElement>(null);
  const [shown, show] = useState({ value, version });
  const wasBusy = useRef(false);
  /** The version whose form gets the focus of the one before. */
  const focusedNext = useRef<string | number>(undefined);
  const isNewer = version !== shown.version;
  useLayoutEffect(() => {
    const isOwn = wasBusy.current && !isPending && !error;
    wasBusy.current = isPending;
    if (isNewer && !isPending && (isOwn || !hasChanges(place.current))) {
      if (place.current?.contains(document.activeElement)) focusedNext.current = version;
      show({ value, version });
    }
  }, [isPending, error, isNewer, value, version]);
  useLayoutEffect(() => {
    if (focusedNext.current !== shown.version) return;
    place.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
    focusedNext.current = undefined;
  }, [shown.version]);
  return (
    <div ref={place}>
      <div role="status">
        {isNewer && !isPending && (
          <div className="mb-3 grid justify-items-start gap-2 rounded-lg border border-line p-3 text-sm">
            <p className="text-warn">
              Another version was saved while you were editing. Your changes are still in the form. {saving}
            </p>
            <Button onClick={() => show({ value, version })}>Discard my changes</Button>
          </div>
        )}
      </div>
      <div key={shown.version}>{children(shown.value)}</div>
    </div>
  );
}

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * True if a form beneath the element has changes that its page has not saved. A part that holds the values of its
 * fields itself says with `data-changed` whether it has.
 */
export function hasChanges(place: HTMLElement | null): boolean {
  const fields = place?.querySelectorAll<FormField>('input, select, textarea') ?? [];
  const isOwn = (field: FormField) => !field.closest('[data-changed]') && isChanged(field);
  return [...fields].some(isOwn) || !!place?.querySelector('[data-changed="true"]');
}

function isChanged(field: FormField): boolean {
  // A choice that takes effect immediately has no default.
  if (field instanceof HTMLSelectElement)
    return field.dataset.default !== undefined && field.value !== field.dataset.default;
  if (field instanceof HTMLInputElement && field.type === 'checkbox')
    return field.checked !== field.defaultChecked;
  return withoutBreaks(field.value) !== withoutBreaks(field.defaultValue);
}

/** Fields change line breaks by themselves. */
const withoutBreaks = (text: string): string => text.replaceAll(/[\r\n]/g, '');
