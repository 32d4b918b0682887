import { ApiError } from '@botyard/client/api-error';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { type Action, useAction } from '../api/use-action.ts';
import { Form, SubmitRow } from './controls.tsx';
import { Fault } from './states.tsx';

interface SendingFormProps extends Omit<ComponentProps<typeof Form>, 'form' | 'error'> {
  /** The label of the submit button. */
  button: string;
  look?: ComponentProps<typeof SubmitRow>['look'];
  sending: { error: Error | null; isPending: boolean };
  /** False while the form can't be sent for a reason of its own. */
  isReady?: boolean;
  /** Further buttons next to the submit button. */
  buttons?: ReactNode;
}

/**
 * A form that shows what became of its action. An error is said at its fields, and the first of them gets the focus.
 * Above the form it is said only if it has a cause that no field shows.
 */
export function SendingForm({
  button,
  look = 'main',
  sending: { error, isPending },
  isReady = true,
  buttons,
  children,
  ...rest
}: SendingFormProps) {
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
      <SubmitRow button={button} look={look} disabled={isPending || !isReady}>
        {buttons}
      </SubmitRow>
    </Form>
  );
}

interface CreateFormProps<Result> extends Omit<SendingFormProps, 'sending' | 'onSend'> {
  /** The action of the fields; `undefined` if it isn't wanted after all. */
  action: (fields: Record<string, string>) => Action | undefined;
  onDone: (result: Result) => void;
}

/** A form that creates something. */
export function CreateForm<Result>({ action, onDone, ...rest }: CreateFormProps<Result>) {
  const sending = useAction<Result>({ isErrorShown: true });
  const send = (fields: Record<string, string>) => {
    const wanted = action(fields);
    if (wanted) sending.mutate(wanted, { onSuccess: onDone });
  };
  return <SendingForm sending={sending} onSend={send} {...rest} />;
}
