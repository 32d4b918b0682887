import { type ReactNode, type RefObject, useContext, useEffect, useId, useRef, useState } from 'react';
import { Button, Label } from '../parts/controls.tsx';
import { FormError } from '../parts/field-notes.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Fault, Skeleton } from '../parts/states.tsx';

/** An item that can be added to an agent, a capability or a tool. */
export interface Part {
  id: string;
  name: string;
  description: string;
  /** The kind in a few words. */
  kind?: string;
  /** The reason that the part has no effect at present. */
  problem?: string | null;
}

interface PartPickerProps {
  title: string;
  /** The singular name that the form uses, for example `tool`. */
  what: string;
  /** The path of the field in the request body. The API reports issues at this path. */
  field: readonly string[];
  most: number;
  /** The text that is shown if nothing is chosen. */
  none?: string;
  /** The identifiers of the parts that are chosen initially. */
  chosen: readonly string[];
  parts: { data: readonly Part[] | undefined; error: Error | null; refetch: () => unknown };
  /** A note below the choices. */
  children?: ReactNode;
}

const maxShown = 8;
const boxLook = 'w-full rounded-md border border-line bg-panel px-3 py-1.5 text-ink placeholder:text-soft';

/** Returns the identifiers that pickers have added to a form's fields, in order. */
export const namesIn = (fields: Readonly<Record<string, string>>, what: string): string[] =>
  Object.keys(fields).flatMap((name) => (name.startsWith(`${what} `) ? [name.slice(what.length + 1)] : []));

/** Adds and removes parts. Changes take effect when the surrounding form is submitted. */
export function PartPicker(props: PartPickerProps) {
  const { title, what, field, most, none = 'None selected.', parts, children } = props;
  const error = useContext(FormError);
  const [ids, setIds] = useState(props.chosen);
  const partsById = new Map(parts.data?.map((part) => [part.id, part]));
  const left = parts.data?.filter(({ id }) => !ids.includes(id)) ?? [];
  // Issues refer to positions in the submitted list, so that list is kept with its error.
  const [refused, setRefused] = useState({ error, ids });
  if (refused.error !== error) setRefused({ error, ids });
  const issueOf = (id: string) => {
    const at = refused.ids.indexOf(id);
    return at < 0 ? undefined : issueAt(error, ...field, at);
  };
  const issue = refused.ids.some(issueOf) ? undefined : issueAt(error, ...field);
  const search = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLFieldSetElement>(null);
  const shownIds = useRef(ids);
  // Hidden fields send no event by themselves.
  useEffect(() => {
    if (shownIds.current === ids) return;
    shownIds.current = ids;
    place.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [ids]);
  const change = (to: readonly string[]) => {
    setIds(to);
    // The pressed button disappears, so the focus moves to the search field.
    search.current?.focus();
  };
  return (
    <fieldset
      ref={place}
      className="grid gap-3 rounded-lg border border-line p-3"
      // Hidden fields don't tell by themselves that they have changed.
      data-changed={ids.join(' ') === props.chosen.join(' ') ? undefined : true}
    >
      <legend className="px-1 text-sm font-medium">{title}</legend>
      {ids.map((id) => (
        <input key={id} type="hidden" name={`${what} ${id}`} value="chosen" />
      ))}
      {issue && <p className="text-sm text-bad">{issue}</p>}
      {ids.length === 0 && <p className="text-sm text-soft">{none}</p>}
      <ul aria-label={title} className="grid gap-2">
        {ids.map((id) => (
          <Row
            key={id}
            part={partsById.get(id) ?? { id, name: parts.data ? `Deleted ${what}` : '…', description: '' }}
            issue={issueOf(id)}
            button={{ verb: 'Remove', onPress: () => change(ids.filter((one) => one !== id)) }}
          />
        ))}
      </ul>
      {parts.error && <Fault error={parts.error} retry={() => void parts.refetch()} />}
      {!parts.data && !parts.error && <Skeleton lines={2} />}
      {ids.length >= most ? (
        <p className="text-sm text-soft">You can add up to {most}.</p>
      ) : (
        left.length > 0 && (
          <Add what={what} parts={left} input={search} onAdd={(id) => change([...ids, id])} />
        )
      )}
      {children}
    </fieldset>
  );
}

interface AddProps {
  what: string;
  parts: readonly Part[];
  input: RefObject<HTMLInputElement | null>;
  onAdd: (id: string) => void;
}

function Add({ what, parts, input, onAdd }: AddProps) {
  const [text, setText] = useState('');
  const id = useId();
  const wanted = text.trim().toLowerCase();
  const matches = parts.filter(({ name, description, kind = '' }) =>
    `${name} ${description} ${kind}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="grid gap-2">
      <Label of={id}>Add a {what}</Label>
      <input
        ref={input}
        id={id}
        type="search"
        autoComplete="off"
        placeholder="Search by name or description"
        value={text}
        className={boxLook}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          // Enter in the search field must not send the form around it.
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <ul aria-label={`Choices for ${what}`} className="grid gap-2">
        {matches.slice(0, maxShown).map((part) => (
          <Row key={part.id} part={part} button={{ verb: 'Add', onPress: () => onAdd(part.id) }} />
        ))}
      </ul>
      {matches.length === 0 && <p className="text-sm text-soft">No matching {what}.</p>}
      {matches.length > maxShown && (
        <p className="text-sm text-soft">{matches.length - maxShown} more. Search to narrow the list.</p>
      )}
    </div>
  );
}

interface RowProps {
  part: Part;
  issue?: string | undefined;
  button: { verb: string; onPress: () => void };
}

function Row({ part: { name, description, kind, problem }, issue, button: { verb, onPress } }: RowProps) {
  return (
    <li className="flex items-start justify-between gap-3 text-sm">
      <span className="grid min-w-0">
        <span className="break-words">
          <span className="font-medium">{name}</span>{' '}
          {kind && kind.toLowerCase() !== name && <span className="text-soft">· {kind}</span>}
        </span>
        <span className="line-clamp-2 break-words text-soft">{description}</span>
        {problem && <span className="break-words text-warn">Has no effect yet: {problem}</span>}
        {issue && <span className="break-words text-bad">{issue}</span>}
      </span>
      <Button aria-label={`${verb} ${name}`} onClick={onPress}>
        {verb}
      </Button>
    </li>
  );
}
