import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { Button, IconButton, Label } from '../../parts/controls.tsx';
import { Words } from '../../parts/words.tsx';

const box = 'w-full min-h-9 rounded-md border border-line bg-panel px-3 py-1.5 text-ink';

/** A text in one line whose value the surrounding form holds. */
export const Text = (props: Omit<ComponentProps<typeof Words>, 'rows'>) => <Words {...props} rows={1} />;

interface WholeNumberProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

/** A labelled whole number that the surrounding form holds. The typed text stays until the field is left. */
export function WholeNumber({ label, value, min, max, onChange }: WholeNumberProps) {
  const id = useId();
  const [typed, setTyped] = useState({ text: String(value), value });
  // A list that changes its order shows another item's value in the same field.
  const text = typed.value === value ? typed.text : String(value);
  const isAllowed = (one: string) =>
    one !== '' && Number.isInteger(Number(one)) && Number(one) >= min && Number(one) <= max;
  const type = (next: string) => {
    setTyped({ text: next, value: isAllowed(next) ? Number(next) : value });
    if (isAllowed(next)) onChange(Number(next));
  };
  return (
    <div className="grid content-start gap-1">
      <Label of={id}>{label}</Label>
      <input
        id={id}
        type="number"
        step={1}
        min={min}
        max={max}
        autoComplete="off"
        className={box}
        value={text}
        aria-invalid={!isAllowed(text) || undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => type(target.value)}
        onBlur={() => setTyped({ text: String(value), value })}
      />
      <p id={`${id}-hint`} className={`text-xs ${isAllowed(text) ? 'text-soft' : 'text-bad'}`}>
        A whole number from {min} to {max}.
      </p>
    </div>
  );
}

interface TickProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <label className="flex min-h-9 items-center gap-2 text-sm">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}

interface RowsProps<Item> {
  title: string;
  hint: string;
  /** One of the items in a word, for the labels of buttons. */
  what: string;
  items: readonly Item[];
  nameOf: (item: Item) => string;
  onChange: (items: Item[]) => void;
  /** An item to begin with. Left out where items are added in another way. */
  blank?: () => Item;
  /** The order of the items has a meaning. */
  isOrdered?: boolean;
  most: number;
  of: (item: Item, change: (item: Item) => void) => ReactNode;
  /** Beneath the items. */
  children?: ReactNode;
}

/** A list of a spec: each item is edited in place, removed, and moved if the order counts. */
export function Rows<Item>({
  title,
  hint,
  what,
  items,
  nameOf,
  onChange,
  blank,
  isOrdered,
  most,
  of,
  children,
}: RowsProps<Item>) {
  const swap = (index: number, other: number) => {
    const [one, two] = [items[index], items[other]];
    if (one !== undefined && two !== undefined) onChange(items.with(index, two).with(other, one));
  };
  return (
    <fieldset className="grid gap-3">
      <legend className="text-base font-semibold">{title}</legend>
      <p className="text-sm text-soft">{hint}</p>
      {items.length > 0 && (
        <ol className="grid gap-3">
          {items.map((item, index) => {
            const name = nameOf(item) || `${what} ${index + 1}`;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: no field keeps a value of its own.
              <li key={index} className="grid gap-3 rounded-lg border border-line p-3">
                {of(item, (changed) => onChange(items.with(index, changed)))}
                <div className="flex gap-1">
                  {isOrdered && index > 0 && (
                    <IconButton
                      label={`Move ${name} up`}
                      icon={ArrowUp}
                      onClick={() => swap(index, index - 1)}
                    />
                  )}
                  {isOrdered && index < items.length - 1 && (
                    <IconButton
                      label={`Move ${name} down`}
                      icon={ArrowDown}
                      onClick={() => swap(index, index + 1)}
                    />
                  )}
                  <IconButton
                    label={`Remove ${name}`}
                    icon={Trash2}
                    onClick={() => onChange(items.toSpliced(index, 1))}
                  />
                </div>
              </li>
            );
          })}
        </ol>
      )}
      {items.length < most ? children : <p className="text-sm text-soft">At most {most}.</p>}
      {blank && items.length < most && (
        <div>
          <Button onClick={() => onChange([...items, blank()])}>Add a {what}</Button>
        </div>
      )}
    </fieldset>
  );
}
