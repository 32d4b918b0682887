import { createContext } from 'react';

/** The error of the form that surrounds a field. */
export const FormError = createContext<Error | null>(null);

/** The values that a browser offers while a field is typed in. */
export function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

const noteLooks = { warning: 'text-warn', hint: 'text-soft', issue: 'text-bad' } as const;

/** The texts beneath a field. */
export function FieldNotes({
  id,
  ...notes
}: { id: string } & Record<keyof typeof noteLooks, string | undefined>) {
  return (Object.keys(noteLooks) as (keyof typeof noteLooks)[]).map(
    (kind) =>
      notes[kind] && (
        <p key={kind} id={`${id}-${kind}`} className={`text-sm ${noteLooks[kind]}`}>
          {notes[kind]}
        </p>
      ),
  );
}
