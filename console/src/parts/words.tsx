import { useId } from 'react';
import { Label } from './controls.tsx';

interface WordsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  rows?: number;
  isCode?: boolean;
  /** It has to be filled in by hand. */
  isMissing?: boolean;
}

/** A labelled text whose value the page or the form around it holds. */
export function Words({ label, value, onChange, hint, rows = 3, isCode, isMissing }: WordsProps) {
  const id = useId();
  const look = `w-full min-h-9 rounded-md border bg-panel px-3 py-1.5 text-ink ${isMissing ? 'border-warn' : 'border-line'}`;
  const common = {
    id,
    value,
    'aria-describedby': isMissing ? `${id}-missing` : hint && `${id}-hint`,
    className: isCode ? `${look} font-mono text-sm` : look,
    dir: isCode ? 'ltr' : 'auto',
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <div className="grid content-start gap-1">
      <Label of={id}>{label}</Label>
      {rows === 1 ? <input {...common} autoComplete="off" /> : <textarea {...common} rows={rows} />}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-soft">
          {hint}
        </p>
      )}
      {isMissing && (
        <p id={`${id}-missing`} className="text-sm text-warn">
          This was not kept. Fill it in by hand.
        </p>
      )}
    </div>
  );
}
