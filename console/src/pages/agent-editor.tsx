import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import type { RefObject } from 'react';
import { Field, Form, readForm, SubmitRow } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { namesIn } from './part-picker.tsx';
import { PickCapabilities, PickTools } from './pick-parts.tsx';

type Definition = Schema<'AgentDefinition'>;

interface EditorProps {
  agent?: Definition;
  onSend: (body: object) => void;
  isBusy: boolean;
  button: string;
  /** Why it was not saved: what is wrong with a field is shown there. */
  error: Error | null;
  /** For whoever wants to read what is being edited: see `readDraft`. */
  form?: RefObject<HTMLFormElement | null>;
}

/** The edited agent, as the body of a request. */
export const readDraft = (form: HTMLFormElement): object => bodyOf(readForm(form));

export function AgentEditor({ agent, onSend, isBusy, button, error, form }: EditorProps) {
  const { temperature, maxOutputTokens, reasoningEffort } = agent?.modelSettings ?? {};
  return (
    <Form onSend={(fields) => onSend(bodyOf(fields))} form={form}>
      <Field
        label="Name"
        name="name"
        issue={issueAt(error, 'name')}
        isRequired
        defaultValue={agent?.name ?? ''}
      />
      <Field
        label="Description"
        name="description"
        issue={issueAt(error, 'description')}
        defaultValue={agent?.description ?? ''}
      />
      <Field
        label="Instructions"
        name="instructions"
        issue={issueAt(error, 'instructions')}
        isLong
        isRequired
        defaultValue={agent?.instructions ?? ''}
      />
      <Field
        label="Provider"
        name="provider"
        issue={issueAt(error, 'provider')}
        choices={providerNames}
        defaultValue={agent?.provider ?? 'private-llm'}
      />
      <Field
        label="Model"
        name="model"
        issue={issueAt(error, 'model')}
        isRequired
        defaultValue={agent?.model ?? ''}
      />
      <fieldset className="grid gap-4 md:grid-cols-3">
        <legend className="text-sm font-medium">How its model answers</legend>
        <Field
          label="Temperature"
          name="temperature"
          issue={issueAt(error, 'modelSettings', 'temperature')}
          hint="0 to 2; 0 to 1 for anthropic."
          defaultValue={String(temperature ?? '')}
        />
        <Field
          label="Longest answer"
          name="maxOutputTokens"
          issue={issueAt(error, 'modelSettings', 'maxOutputTokens')}
          hint="In tokens; 4096 without it."
          defaultValue={String(maxOutputTokens ?? '')}
        />
        <Field
          label="Reasoning effort"
          name="reasoningEffort"
          issue={issueAt(error, 'modelSettings', 'reasoningEffort')}
          hint="Not for anthropic."
          choices={['', 'low', 'medium', 'high']}
          defaultValue={reasoningEffort ?? ''}
        />
      </fieldset>
      <Field
        label="Keywords"
        name="keywords"
        issue={issueAt(error, 'keywords')}
        hint="With commas between them. Messages with them go to this agent."
        defaultValue={agent?.keywords.join(', ') ?? ''}
      />
      <PickTools chosen={agent?.toolIds ?? []} most={32} error={error} />
      <PickCapabilities chosen={agent?.capabilityIds ?? []} most={8} error={error} />
      <SubmitRow button={button} disabled={isBusy} />
    </Form>
  );
}

function bodyOf({ name, description, instructions, provider, model, ...rest }: Record<string, string>) {
  const { keywords, temperature, maxOutputTokens, reasoningEffort } = rest;
  return {
    ...{ name, description, instructions, provider, model },
    keywords: wordsOf(keywords),
    modelSettings: {
      ...(temperature ? { temperature: numberOr(temperature) } : {}),
      ...(maxOutputTokens ? { maxOutputTokens: numberOr(maxOutputTokens) } : {}),
      ...(reasoningEffort ? { reasoningEffort } : {}),
    },
    toolIds: namesIn(rest, 'tool'),
    capabilityIds: namesIn(rest, 'capability'),
  };
}

/** Words with commas between them. */
export const wordsOf = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Keeps a text that is no number: the API refuses it. */
const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text));
