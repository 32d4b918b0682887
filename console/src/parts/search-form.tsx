import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Search } from '../search.ts';
import { Choose, Field, Form, type Options } from './controls.tsx';
import { useChangeSearch } from './use-change-search.ts';

interface SearchFormProps {
  label?: string;
  hint: string;
  /** True for a search that the browser's back button doesn't undo. */
  replace?: boolean;
}

/** The search field of a list. Its text is the address's `q`. */
export function SearchForm({ label = 'Search', hint, replace = false }: SearchFormProps) {
  const { q = '' } = useSearch({ strict: false });
  const change = useChangeSearch({ replace });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = form.current?.elements.namedItem('q');
    if (input instanceof HTMLInputElement) input.value = q;
  }, [q]);
  return (
    <Form form={form} onSend={(fields) => change({ q: fields.q || undefined })}>
      <Field label={label} name="q" defaultValue={q} hint={hint} />
    </Form>
  );
}

type TextName = { [Name in keyof Search]-?: string extends Search[Name] ? Name : never }[keyof Search];

interface SearchChoiceProps {
  label: string;
  /** The parameter of the address. */
  name: TextName;
  /** The first stands for no choice. */
  options: Options;
  /** The shown value, if it isn't the address's own. */
  value?: string | undefined;
  replace?: boolean;
}

/** A choice that narrows a list. It is a parameter of the address. */
export function SearchChoice({ name, replace = false, ...rest }: SearchChoiceProps) {
  const search = useSearch({ strict: false });
  const change = useChangeSearch({ replace });
  return <Choose value={search[name]} {...rest} onChoose={(chosen) => change({ [name]: chosen })} />;
}
