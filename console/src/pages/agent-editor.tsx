import type { Schema } from '@botyard/client/client';
import type { RefObject } from 'react';
import { useList } from '../api/use-answer.ts';
import { Button, Field, Form, readForm } from '../parts/controls.tsx';

type Definition = Schema<'AgentDefinition'>;

interface EditorProps {
  agent?: Definition;
  onSend: (body: object) => void;
  isBusy: boolean;
  button: string;
  /** For whoever wants to read what is being edited: see `readDraft`. */
  form?: RefObject<HTMLFormElement | null>;
}

/** What is being edited, as the body of a request. */
export const readDraft = (form: HTMLFormElement): object => bodyOf(readForm(form));

export function AgentEditor({ agent, onSend, isBusy, button, form }: EditorProps) {
  const tools = useList('/api/definitions/tools');
  const { temperature, maxOutputTokens, reasoningEffort } = agent?.modelSettings ?? {};
  return (
    <Form onSend={(fields) => onSend(bodyOf(fields))} form={form}>
      <Field label="Name" name="name" isRequired defaultValue={agent?.name ?? ''} />
      <Field label="Description" name="description" defaultValue={agent?.description ?? ''} />
      <Field
        label="Instructions"
        name="instructions"
        isLong
        isRequired
        defaultValue={agent?.instructions ?? ''}
      />
      <Field
        label="Provider"
        name="provider"
        choices={['private-llm', 'openai', 'anthropic']}
        defaultValue={agent?.provider ?? 'private-llm'}
      />
      <Field label="Model" name="model" isRequired defaultValue={agent?.model ?? ''} />
      <fieldset className="grid gap-4 md:grid-cols-3">
        <legend className="text-sm font-medium">How its model answers</legend>
        <Field
          label="Temperature"
          name="temperature"
          hint="0 to 2; 0 to 1 for anthropic."
          defaultValue={String(temperature ?? '')}
        />
        <Field
          label="Longest answer"
          name="maxOutputTokens"
          hint="In tokens; 4096 without it."
          defaultValue={String(maxOutputTokens ?? '')}
        />
        <Field
          label="Reasoning effort"
          name="reasoningEffort"
          hint="Not for anthropic."
          choices={['', 'low', 'medium', 'high']}
          defaultValue={reasoningEffort ?? ''}
        />
      </fieldset>
      <Field
        label="Keywords"
        name="keywords"
        hint="With commas between them. Messages with them go to this agent."
        defaultValue={agent?.keywords.join(', ') ?? ''}
      />
      {tools.data && tools.data.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className="text-sm font-medium">Tools</legend>
          {/* While the tools are not known, those of the agent stay as they are. */}
          <input type="hidden" name="hasTools" value="yes" />
          {tools.data.map(({ id, name, description }) => (
            <label key={id} className="flex items-start gap-2 text-sm">
              <input
                type="checkbox"
                name={`tool ${id}`}
                defaultChecked={agent?.toolIds.includes(id)}
                className="mt-1"
              />
              <span>
                {name} <span className="text-soft">{description}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <div>
        <Button type="submit" look="main" disabled={isBusy}>
          {button}
        </Button>
      </div>
    </Form>
  );
}

function bodyOf({ name, description, instructions, provider, model, ...rest }: Record<string, string>) {
  const { keywords = '', hasTools, temperature, maxOutputTokens, reasoningEffort } = rest;
  const toolIds = Object.keys(rest).flatMap((field) => (field.startsWith('tool ') ? [field.slice(5)] : []));
  return {
    ...{ name, description, instructions, provider, model },
    keywords: keywords
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    modelSettings: {
      ...(temperature ? { temperature: numberOr(temperature) } : {}),
      ...(maxOutputTokens ? { maxOutputTokens: numberOr(maxOutputTokens) } : {}),
      ...(reasoningEffort ? { reasoningEffort } : {}),
    },
    ...(hasTools ? { toolIds } : {}),
  };
}

/** What is no number is for the API to refuse. */
const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text));
