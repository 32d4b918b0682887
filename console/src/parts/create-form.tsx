import { ApiError } from '@botyard/client/api-error';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Form, SubmitRow } from './controls.tsx';
import { Fault } from './states.tsx';

interface CreateFormProps extends Omit<ComponentProps<typeof Form>, 'form' | 'error'> {
  /** The label of the submit button. */
  button: string;
  look?: ComponentProps<typeof SubmitRow>['look'];
  isBusy: boolean;
  error: Error | null;
  /** Further buttons next to the submit button. */
  buttons?: ReactNode;
}

/**
 * A form that creates something. An error is said at its fields, and the first of them gets the focus. Above the form
 * it is said only if it has a cause that no field shows.
 */
export function CreateForm({
  button,
  look = 'main',
  isBusy,
  error,
  buttons,
  children,
  ...rest
}: CreateFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isSaidAtFields, setSaidAtFields] = useState(false);
  useLayoutEffect(() => {
    const places = new Set(error instanceof ApiError ? error.issues.map(({ path }) => path) : []);
    const fields = form.current?.querySelectorAll<HTMLElement>('[aria-invalid=true]') ?? [];
    if (error) fields[0]?.focus();
    setSaidAtFields(places.size > 0 && fields.length >= places.size);
  }, [error]);
  return (
    <Form form={form} error={error} {...rest}>
      {error && !isSaidAtFields && <Fault error={error} />}
      {children}
      <SubmitRow button={button} look={look} disabled={isBusy}>
        {buttons}
      </SubmitRow>
    </Form>
  );
}
