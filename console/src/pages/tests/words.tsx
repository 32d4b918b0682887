import { useId } from 'react';

interface WordsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  isCode?: boolean;
  /** It has to be filled in by hand. */
  isMissing?: boolean;
}

/** A field whose value its page holds. */
export function Words({ label, value, onChange, rows = 3, isCode, isMissing }: WordsProps) {
  const id = useId();
  const look = `w-full min-h-9 rounded-md border bg-panel px-3 py-1.5 text-ink ${isMissing ? 'border-warn' : 'border-line'}`;
  const common = {
    id,
    value,
    'aria-describedby': isMissing ? `${id}-missing` : undefined,
    className: isCode ? `${look} font-mono text-sm` : look,
    dir: isCode ? 'ltr' : 'auto',
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {rows === 1 ? <input {...common} autoComplete="off" /> : <textarea {...common} rows={rows} />}
      {isMissing && (
        <p id={`${id}-missing`} className="text-sm text-warn">
          This was not kept. Fill it in by hand.
        </p>
      )}
    </div>
  );
}
