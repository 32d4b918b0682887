import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode, RefObject } from 'react';
import { useContext, useId } from 'react';
import { useMayChange } from '../api/acting.tsx';
import { FieldNotes, FormError, Suggestions } from './field-notes.tsx';
import { issueAt } from './issue-at.ts';

const looks = {
  plain: 'border border-line bg-panel text-ink hover:bg-hover',
  main: 'bg-accent text-accent-ink hover:opacity-90',
  bad: 'border border-line bg-panel text-bad hover:bg-bad-tint',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
} as const;

type ButtonProps = ComponentProps<'button'> & { look?: keyof typeof looks; icon?: LucideIcon };

/** A button. While it is disabled it ignores clicks, but keeps the focus that a disabled element would lose. */
export function Button({
  look = 'plain',
  icon: Icon,
  className = '',
  disabled,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const shape =
    'inline-flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-3 py-1 text-sm font-medium transition-colors';
  return (
    <button
      type="button"
      aria-disabled={disabled || undefined}
      className={`${shape} aria-disabled:cursor-not-allowed aria-disabled:opacity-60 ${looks[look]} ${className}`}
      onClick={(event) => {
        if (disabled) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {Icon && <Icon aria-hidden="true" className="size-4 shrink-0" />}
      {children}
    </button>
  );
}

/** A button with an icon only. Its label is its tooltip, too. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children'> & { label: string; icon: LucideIcon }) {
  return (
    <Button look="quiet" className="min-w-9 justify-center !px-0" icon={icon} title={label} {...rest}>
      <span className="sr-only">{label}</span>
    </Button>
  );
}

const box =
  'w-full min-h-9 rounded-md border border-line bg-panel px-3 py-1.5 text-ink placeholder:text-soft';

/** The label of the control with that ID. */
export const Label = ({ of: id, children }: { of: string; children: ReactNode }) => (
  <label htmlFor={id} className="text-sm font-medium">
    {children}
  </label>
);

/** Pairs of value and label. */
export type Options = readonly (readonly [value: string, label: string])[];

/** The choices of a select. It is no component: a select's default value needs its options as children. */
export const optionsOf = (options: Options) =>
  options.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

export type InputType = 'color' | 'date' | 'email' | 'number' | 'password' | 'tel' | 'text' | 'time' | 'url';

interface FieldProps {
  label: string;
  name: string;
  hint?: string;
  /** The place of the value in the request body, if it isn't the field's name. The form's error is said there. */
  at?: readonly (string | number)[];
  /** The error message for the submitted value, in a form that doesn't know its error. */
  issue?: string | undefined;
  /** A doubt about the value that doesn't prevent it from being sent. */
  warning?: string | undefined;
  /** Values to choose from while typing. */
  suggestions?: readonly string[];
  defaultValue?: string;
  placeholder?: string;
  /** The language of the value, if it differs from the page's. */
  lang?: string;
  isLong?: boolean;
  /** The height of a field for several lines. */
  rows?: number;
  /** Shows the value in a monospaced font. */
  isCode?: boolean;
  /** The browser's input for a kind of value. */
  type?: InputType | undefined;
  isRequired?: boolean;
  choices?: readonly string[];
  /** Choices whose labels differ from their values. */
  options?: Options;
}

/** A labelled form field. `readForm` reads its value on submit. */
export function Field({
  label,
  name,
  at = [name],
  hint,
  issue: ownIssue,
  warning,
  suggestions,
  choices,
  options = choices?.map((choice) => [choice, choice] as const),
  rows,
  isLong = rows !== undefined,
  isCode,
  type = 'text',
  isRequired,
  ...rest
}: FieldProps) {
  const id = useId();
  const formError = useContext(FormError);
  const issue = ownIssue ?? issueAt(formError, ...at);
  const common = {
    id,
    name,
    required: isRequired,
    'aria-invalid': issue ? true : undefined,
    'aria-describedby':
      [issue && `${id}-issue`, warning && `${id}-warning`, hint && `${id}-hint`].filter(Boolean).join(' ') ||
      undefined,
    className: isCode ? `${box} font-mono text-sm` : box,
    ...rest,
    // Names and texts may be written from right to left.
    dir: isCode ? 'ltr' : 'auto',
  };
  return (
    <div className="grid gap-1">
      <Label of={id}>{label}</Label>
      {options ? (
        <select data-default={rest.defaultValue ?? options[0]?.[0]} {...common}>
          {optionsOf(options)}
        </select>
      ) : isLong ? (
        <textarea {...common} rows={rows ?? 8} />
      ) : (
        <input
          {...common}
          type={type}
          step={type === 'number' ? 'any' : undefined}
          autoComplete="off"
          list={suggestions && `${id}-list`}
        />
      )}
      {suggestions && <Suggestions id={`${id}-list`} values={suggestions} />}
      <FieldNotes id={id} warning={warning} hint={hint} issue={issue} />
    </div>
  );
}

interface ChooseProps {
  label: string;
  value: string | undefined;
  options: Options;
  onChoose: (value: string | undefined) => void;
}

/** A labelled choice that takes effect immediately. Its first option stands for no choice. */
export function Choose({ label, value, options, onChoose }: ChooseProps) {
  const id = useId();
  return (
    <div className="grid content-start gap-1">
      <Label of={id}>{label}</Label>
      <select
        id={id}
        className={box}
        value={value ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        {optionsOf(options)}
      </select>
    </div>
  );
}

const tones = {
  good: 'bg-good-tint text-good',
  bad: 'bg-bad-tint text-bad',
  warn: 'bg-warn-tint text-warn',
  plain: 'bg-hover text-soft',
} as const;
const toneOfWord: Readonly<Record<string, keyof typeof tones>> = {
  connected: 'good',
  sent: 'good',
  answered: 'good',
  registered: 'good',
  ready: 'good',
  active: 'good',
  executed: 'good',
  succeeded: 'good',
  allowed: 'good',
  live: 'good',
  promoted: 'good',
  done: 'good',
  passed: 'good',
  better: 'good',
  candidate: 'warn',
  withdrawn: 'bad',
  worse: 'bad',
  failed: 'bad',
  dead: 'bad',
  banned: 'bad',
  invalid: 'bad',
  missing: 'bad',
  blocked: 'bad',
  rejected: 'bad',
  uncertain: 'warn',
  pending: 'warn',
  'waiting for the first message': 'warn',
  degraded: 'warn',
  apologized: 'warn',
  held: 'warn',
  locked: 'warn',
  changed: 'warn',
  'no verdict': 'warn',
  refused: 'bad',
  'not authorized': 'warn',
};

/** Shows a state as a word. The color only adds to it. */
export function State({ word }: { word: string }) {
  const tone = tones[toneOfWord[word] ?? 'plain'];
  return (
    <span className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tone}`}>{word}</span>
  );
}

export function Panel({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="rounded-xl border border-line bg-panel p-4 md:p-5">
      {title && (
        <h2 dir="auto" className="mb-3 overflow-x-clip text-lg font-semibold [overflow-wrap:anywhere]">
          {title}
        </h2>
      )}
      {children}
    </section>
  );
}

/** Returns the trimmed values of a form's fields by name. */
export function readForm(form: HTMLFormElement): Record<string, string> {
  const fields = Object.entries(Object.fromEntries(new FormData(form)) as Record<string, string>);
  return Object.fromEntries(fields.map(([name, value]) => [name, value.trim()]));
}

interface FormProps {
  onSend: (fields: Record<string, string>) => void;
  /** Called with the fields after each edit. */
  onEdit?: ((fields: Record<string, string>) => void) | undefined;
  form?: RefObject<HTMLFormElement | null> | undefined;
  /** The reason that the form was not accepted. Its fields say what is wrong with them. */
  error?: Error | null;
  children: ReactNode;
}

/** A form that passes its fields to `onSend` on submit. */
export function Form({ onSend, onEdit, form, error = null, children }: FormProps) {
  return (
    <FormError.Provider value={error}>
      <form
        ref={form}
        className="grid max-w-2xl gap-4"
        onInput={(event) => onEdit?.(readForm(event.currentTarget))}
        onSubmit={(event) => {
          event.preventDefault();
          onSend(readForm(event.currentTarget));
        }}
      >
        {children}
      </form>
    </FormError.Provider>
  );
}

interface SubmitRowProps {
  /** The label of the submit button. */
  button: string;
  look?: keyof typeof looks;
  disabled?: boolean;
  /** True if the form changes nothing, so that members may send it, too. */
  isForMembers?: boolean;
  /** Further buttons next to the submit button. */
  children?: ReactNode;
}

/** The row of buttons at the end of a form. */
export function SubmitRow({ button, look = 'main', disabled, isForMembers, children }: SubmitRowProps) {
  const mayChange = useMayChange();
  if (!mayChange && !isForMembers)
    return (
      <p className="text-sm text-soft">You are a member of this tenant. Only admins can make changes.</p>
    );
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" look={look} disabled={disabled}>
        {button}
      </Button>
      {children}
    </div>
  );
}
