import { type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import { Button } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Fault, Skeleton } from '../parts/states.tsx';

/** Something that an agent, a capability or a tool can be given. */
export interface Part {
  id: string;
  name: string;
  description: string;
  /** Its kind, in a few words. */
  kind?: string;
  /** Why it does nothing as things are. */
  problem?: string | null;
}

interface PartPickerProps {
  title: string;
  /** One of them, as the form names it: `tool`. */
  what: string;
  /** The field that they are sent as, where the API says what is wrong with them. */
  field: readonly string[];
  most: number;
  /** The meaning of an empty choice. */
  none?: string;
  /** Identifiers of those that are chosen already. */
  chosen: readonly string[];
  parts: { data: readonly Part[] | undefined; error: Error | null; refetch: () => unknown };
  error: Error | null;
  /** A note where there is nothing to choose from, or beneath it. */
  children?: ReactNode;
}

const maxShown = 8;
const boxLook = 'w-full rounded-md border border-line bg-panel px-3 py-1.5 text-ink placeholder:text-soft';

/** The identifiers that pickers have put into the fields of a form, in their order. */
export const namesIn = (fields: Readonly<Record<string, string>>, what: string): string[] =>
  Object.keys(fields).flatMap((name) => (name.startsWith(`${what} `) ? [name.slice(what.length + 1)] : []));

/** Adds parts and takes them away. Nothing holds before the form that it is in is sent. */
export function PartPicker(props: PartPickerProps) {
  const { title, what, field, most, none = 'None yet.', parts, error, children } = props;
  const [ids, setIds] = useState(props.chosen);
  const known = new Map(parts.data?.map((part) => [part.id, part]));
  const left = parts.data?.filter(({ id }) => !ids.includes(id)) ?? [];
  // Issues name places in what was sent: what was at them then.
  const [refused, setRefused] = useState({ error, ids });
  if (refused.error !== error) setRefused({ error, ids });
  const issueOf = (id: string) => {
    const at = refused.ids.indexOf(id);
    return at < 0 ? undefined : issueAt(error, ...field, at);
  };
  const issue = refused.ids.some(issueOf) ? undefined : issueAt(error, ...field);
  const search = useRef<HTMLInputElement>(null);
  const change = (to: readonly string[]) => {
    setIds(to);
    // The button that was pressed is gone.
    search.current?.focus();
  };
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-3">
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
            part={known.get(id) ?? { id, name: parts.data ? `A ${what} that is gone` : '…', description: '' }}
            issue={issueOf(id)}
            button={{ verb: 'Remove', onPress: () => change(ids.filter((one) => one !== id)) }}
          />
        ))}
      </ul>
      {parts.error && <Fault error={parts.error} retry={() => void parts.refetch()} />}
      {!parts.data && !parts.error && <Skeleton lines={2} />}
      {ids.length >= most ? (
        <p className="text-sm text-soft">There is room for {most}.</p>
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
  const found = parts.filter(({ name, description, kind = '' }) =>
    `${name} ${description} ${kind}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        Add a {what}
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        autoComplete="off"
        placeholder="Name or what it does"
        value={text}
        className={boxLook}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          // Enter in the search field must not send the form around it.
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <ul aria-label={`What can be added as a ${what}`} className="grid gap-2">
        {found.slice(0, maxShown).map((part) => (
          <Row key={part.id} part={part} button={{ verb: 'Add', onPress: () => onAdd(part.id) }} />
        ))}
      </ul>
      {found.length === 0 && <p className="text-sm text-soft">No {what} fits.</p>}
      {found.length > maxShown && (
        <p className="text-sm text-soft">And {found.length - maxShown} more: search for what you need.</p>
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
          {kind && kind !== name && <span className="text-soft">· {kind}</span>}
        </span>
        <span className="line-clamp-2 break-words text-soft">{description}</span>
        {problem && <span className="break-words text-warn">It does nothing now: {problem}</span>}
        {issue && <span className="break-words text-bad">{issue}</span>}
      </span>
      <Button aria-label={`${verb} ${name}`} onClick={onPress}>
        {verb}
      </Button>
    </li>
  );
}
