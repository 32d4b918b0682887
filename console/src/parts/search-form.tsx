import { useEffect, useRef } from 'react';
import { Field, Form } from './controls.tsx';

interface SearchFormProps {
  label?: string;
  hint: string;
  /** The search text from the page's address. */
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
}

/** The search field of a list. Its text follows the page's address. */
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
