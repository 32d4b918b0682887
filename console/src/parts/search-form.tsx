import { useEffect, useRef } from 'react';
import { Field, Form } from './controls.tsx';

interface SearchFormProps {
  label?: string;
  hint: string;
  /** What the address says. */
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
}

/** What a list is searched for. It shows what the address says, however that came to say it. */
export function SearchForm({ label = 'Search', hint, value = '', onSearch }: SearchFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = form.current?.elements.namedItem('q');
    if (input instanceof HTMLInputElement) input.value = value;
  }, [value]);
  return (
    <Form form={form} onSend={({ q }) => onSearch(q || undefined)}>
      <Field label={label} name="q" defaultValue={value} hint={hint} />
    </Form>
  );
}
