import { type ReactNode, useState } from 'react';
import { Field, Form, SubmitRow } from './controls.tsx';
import { Fault } from './states.tsx';

interface JsonFormProps {
  label: string;
  hint?: string;
  value: unknown;
  button: string;
  isBusy: boolean;
  onSend: (value: unknown) => void;
  /** Further buttons next to the submit button. */
  children?: ReactNode;
}

/** Edits a value without a dedicated form as JSON. */
export function JsonForm({ label, hint, value, button, isBusy, onSend, children }: JsonFormProps) {
  const [fault, setFault] = useState<Error>();
  const send = ({ json = '' }: Record<string, string>) => {
    try {
      onSend(JSON.parse(json));
      setFault(undefined);
    } catch (error) {
      setFault(new Error(`Invalid JSON: ${(error as Error).message}`));
    }
  };
  return (
    <Form onSend={send}>
      {fault && <Fault error={fault} />}
      <Field
        label={label}
        name="json"
        isLong
        isCode
        isRequired
        defaultValue={JSON.stringify(value, null, 2)}
        {...(hint ? { hint } : {})}
      />
      <SubmitRow button={button} disabled={isBusy}>
        {children}
      </SubmitRow>
    </Form>
  );
}
