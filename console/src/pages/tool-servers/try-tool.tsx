import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { postAction, useAction } from '../../api/use-action.ts';
import { Field, Form, State, SubmitRow } from '../../parts/controls.tsx';
import { Fault } from '../../parts/states.tsx';
import { type ServerTool, serversPath } from './server-words.ts';

type Parameter = Schema<'ServerToolParameter'>;

interface TryToolProps {
  serverId: string;
  tool: ServerTool;
}

/** Calls an allowed tool once, with arguments that are entered by hand. */
export function TryTool({ serverId, tool }: TryToolProps) {
  const { name, pin, readsOnly, parameters = [] } = tool;
  const trial = useAction<Schema<'ServerToolTrial'>>();
  const [fault, setFault] = useState<Error>();
  const send = ({ confirmed, ...fields }: Record<string, string>) => {
    try {
      const body = { arguments: argumentsIn(parameters, fields), pin, isConfirmed: confirmed === 'yes' };
      setFault(undefined);
      const path = `${serversPath}/{serverId}/tools/{name}/try` as const;
      trial.mutate(postAction('Tool called', path, { names: { serverId, name }, body }));
    } catch (error) {
      setFault(error as Error);
    }
  };
  const error = fault ?? trial.error;
  return (
    <section aria-label="Try it" className="grid gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">Try it</h3>
      <Form error={error} onSend={send}>
        {error && <Fault error={error} />}
        {parameters.map((parameter) => (
          <Argument key={parameter.name} parameter={parameter} />
        ))}
        {!readsOnly && (
          <label className="flex items-start gap-2 text-sm">
            <input type="checkbox" name="confirmed" value="yes" required className="mt-1" />
            This call may have an effect. Make it.
          </label>
        )}
        <SubmitRow button="Call the tool once" look="plain" disabled={trial.isPending} />
      </Form>
      {trial.data && !trial.isPending && <Result trial={trial.data} />}
    </section>
  );
}

function Argument({ parameter: { name, type, isRequired } }: { parameter: Parameter }) {
  const common = { label: name, name: `argument ${name}`, at: ['arguments', name], isRequired };
  if (type === 'boolean')
    return <Field {...common} choices={isRequired ? ['true', 'false'] : ['', 'true', 'false']} />;
  if (type === null) return <Field {...common} isCode rows={3} hint="As JSON." />;
  return <Field {...common} type={type === 'string' ? 'text' : 'number'} />;
}

function Result({ trial: { outcome, text, detail, tookMs } }: { trial: Schema<'ServerToolTrial'> }) {
  return (
    <div role="status" className="grid gap-2 text-sm">
      <p>
        <State word={outcome} /> {detail ? `${detail}, ` : ''}after {tookMs} ms. A model gets:
      </p>
      <pre
        dir="auto"
        className="max-h-64 overflow-auto rounded-md bg-hover p-3 whitespace-pre-wrap break-words"
      >
        {text === '' ? 'nothing' : text}
      </pre>
    </div>
  );
}

/** The arguments that were entered; fields that are empty are left out. @throws Error for what is no JSON. */
function argumentsIn(
  parameters: readonly Parameter[],
  fields: Record<string, string>,
): Record<string, unknown> {
  const entered = parameters.flatMap(({ name, type, isRequired }) => {
    const value = fields[`argument ${name}`] ?? '';
    if (value === '' && !(isRequired && type === 'string')) return [];
    return [[name, readArgument(name, type, value)] as const];
  });
  return Object.fromEntries(entered);
}

function readArgument(name: string, type: Parameter['type'], value: string): unknown {
  if (type === 'string') return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new Error(`${name}: this is no JSON`, { cause });
  }
}
