import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import { type ReactNode, type RefObject, useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Field, Form, readForm } from '../../parts/controls.tsx';
import { wordsOf } from '../../parts/split-text.ts';
import { namesIn } from '../part-picker.tsx';
import { PickCapabilities, PickServers, PickTools } from '../pick-parts.tsx';

type Definition = Schema<'AgentDefinition'>;

interface AgentFormProps {
  agent?: Partial<Definition> | undefined;
  onSend?: (content: object) => void;
  /** Called with the content after each edit. */
  onEdit?: (content: object) => void;
  /** The reason that the agent was not saved. Issues with a field are shown at the field. */
  error: Error | null;
  /** Gives the caller access to the content; see `contentOf`. */
  form?: RefObject<HTMLFormElement | null>;
  /** Shown beneath the fields. */
  children?: ReactNode;
}

/** Returns what the form holds, as a request body. */
export const contentOf = (form: HTMLFormElement): object => bodyOf(readForm(form));

export function AgentForm({ agent, onSend, onEdit, error, form, children }: AgentFormProps) {
  return (
    <Form
      onSend={(fields) => onSend?.(bodyOf(fields))}
      onEdit={(fields) => onEdit?.(bodyOf(fields))}
      form={form}
      error={error}
    >
      <Field label="Name" name="name" isRequired defaultValue={agent?.name ?? ''} />
      <Field label="Description" name="description" defaultValue={agent?.description ?? ''} />
      <Field
        label="Instructions"
        name="instructions"
        rows={14}
        isRequired
        defaultValue={agent?.instructions ?? ''}
      />
      <ModelFields agent={agent} />
      <Field
        label="Keywords"
        name="keywords"
        hint="Separate keywords with commas. Messages that contain them go to this agent."
        defaultValue={agent?.keywords?.join(', ') ?? ''}
      />
      <PickTools chosen={agent?.toolIds ?? []} most={32} />
      <PickCapabilities chosen={agent?.capabilityIds ?? []} most={8} />
      <PickServers chosen={agent?.serverIds ?? []} most={32} />
      {children}
    </Form>
  );
}

function ModelFields({ agent }: Pick<AgentFormProps, 'agent'>) {
  const [chosen, choose] = useState({
    provider: agent?.provider ?? 'private-llm',
    model: agent?.model ?? '',
  });
  const listed = useAnswer('/api/agents/models/{provider}', {
    path: { provider: chosen.provider },
    query: { agentId: agent?.id },
    enabled: useMayChange(),
  });
  const { models, problem } = listed.data ?? { models: [], problem: null };
  const isListed = [...models, 'default', ''].includes(chosen.model);
  return (
    <div
      className="grid gap-4"
      onInput={({ target }) => {
        const { name, value } = target as HTMLInputElement;
        if (name === 'provider' || name === 'model') choose({ ...chosen, [name]: value });
      }}
    >
      <Field
        label="Provider"
        name="provider"
        warning={problem ? `${chosen.provider}: ${problem}.` : undefined}
        choices={providerNames}
        defaultValue={chosen.provider}
      />
      <Field
        label="Model"
        name="model"
        warning={models.length === 0 || isListed ? undefined : `${chosen.provider} doesn't list this model.`}
        suggestions={models}
        isRequired
        defaultValue={chosen.model}
      />
      <ModelSettings agent={agent} />
    </div>
  );
}

function ModelSettings({ agent }: Pick<AgentFormProps, 'agent'>) {
  const { temperature, maxOutputTokens, reasoningEffort } = agent?.modelSettings ?? {};
  return (
    <fieldset className="grid gap-4 md:grid-cols-3">
      <legend className="text-sm font-medium">Model settings</legend>
      <Field
        label="Temperature"
        name="temperature"
        at={['modelSettings', 'temperature']}
        hint="0 to 2 (0 to 1 for anthropic)."
        defaultValue={String(temperature ?? '')}
      />
      <Field
        label="Maximum answer length"
        name="maxOutputTokens"
        at={['modelSettings', 'maxOutputTokens']}
        hint="In tokens. Defaults to 4096."
        defaultValue={String(maxOutputTokens ?? '')}
      />
      <Field
        label="Reasoning effort"
        name="reasoningEffort"
        at={['modelSettings', 'reasoningEffort']}
        hint="Not supported by anthropic."
        choices={['', 'low', 'medium', 'high']}
        defaultValue={reasoningEffort ?? ''}
      />
    </fieldset>
  );
}

function bodyOf({ name, description, instructions, provider, model, ...rest }: Record<string, string>) {
  const { keywords, temperature, maxOutputTokens, reasoningEffort } = rest;
  return {
    name,
    description,
    instructions,
    provider,
    model,
    keywords: wordsOf(keywords),
    modelSettings: {
      ...(temperature ? { temperature: numberOr(temperature) } : {}),
      ...(maxOutputTokens ? { maxOutputTokens: numberOr(maxOutputTokens) } : {}),
      ...(reasoningEffort ? { reasoningEffort } : {}),
    },
    toolIds: namesIn(rest, 'tool'),
    capabilityIds: namesIn(rest, 'capability'),
    serverIds: namesIn(rest, 'server'),
  };
}

/** Returns text that is not a number unchanged, so that the API rejects it. */
const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text));
