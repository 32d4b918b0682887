import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { postAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Field } from '../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../parts/create-dialog.tsx';
import { wordsOf } from '../parts/split-text.ts';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { Definition, DefinitionForm, Definitions, type Sending } from './definitions.tsx';
import { namesIn } from './part-picker.tsx';
import { PickTools } from './pick-parts.tsx';

type Capability = Schema<'CapabilityDefinition'>;

const path = '/api/definitions/capabilities';

const newCapability = { name: 'capability', title: 'New capability' };

/** Capabilities: bundles of tools and instructions for agents. */
export function Capabilities() {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const capabilities = useList(path, { query: { q } });
  const create = useAction<Capability>({ isErrorShown: true });
  const onSend = (body: object) =>
    create.mutate(postAction('Capability created', path, { body }), {
      onSuccess: ({ id }) =>
        void navigate({ to: '/agents/capabilities/$capabilityId', params: { capabilityId: id } }),
    });
  const sending = { error: create.error, isBusy: create.isPending, button: 'Create capability', onSend };
  return (
    <Definitions
      title="Capabilities"
      about="A capability bundles tools with the instructions for using them."
      list={capabilities}
      actions={<CreateButton creation={newCapability} />}
    >
      <Table
        label="Capabilities"
        list={capabilities}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="No matching capabilities.">Try another search.</Empty>
          ) : (
            <Empty title="No capabilities yet." action={<CreateButton creation={newCapability} />}>
              Create one, then add it to agents.
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: ({ id, name }) => (
              <TextLink to="/agents/capabilities/$capabilityId" params={{ capabilityId: id }}>
                {name}
              </TextLink>
            ),
          },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Tools', of: ({ toolIds }) => toolIds.length, isNumber: true },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <CreateDialog creation={newCapability}>
        {() => (
          <>
            {create.error && <Fault error={create.error} />}
            <CapabilityForm {...sending} />
          </>
        )}
      </CreateDialog>
    </Definitions>
  );
}

/** One capability: its instructions and its tools. */
export function CapabilityPage() {
  const { capabilityId = '' } = useParams({ strict: false });
  const capability = useAnswer(`${path}/{id}`, { path: { id: capabilityId } });
  return (
    <Definition
      kind="capability"
      answer={capability}
      one={{ path: `${path}/{id}`, names: { id: capabilityId } }}
      users="agents"
      home="/agents/capabilities"
      about={({ version }) =>
        `Version ${version}. Changes apply from the next message, for every agent that uses this capability.`
      }
    >
      {(found, sending) => <CapabilityForm capability={found} {...sending} />}
    </Definition>
  );
}

function CapabilityForm({ capability, onSend, ...rest }: Sending & { capability?: Capability }) {
  return (
    <DefinitionForm
      definition={capability}
      onSend={({ name, description, instructions, keywords, ...fields }) =>
        onSend({
          name,
          description,
          instructions,
          keywords: wordsOf(keywords),
          toolIds: namesIn(fields, 'tool'),
        })
      }
      {...rest}
    >
      <Field
        label="Instructions"
        name="instructions"
        isLong
        hint="Instructions for using the tools. They are added to the agent's instructions."
        defaultValue={capability?.instructions ?? ''}
      />
      <Field
        label="Keywords"
        name="keywords"
        hint="Separate keywords with commas."
        defaultValue={capability?.keywords.join(', ') ?? ''}
      />
      <PickTools chosen={capability?.toolIds ?? []} most={12} />
    </DefinitionForm>
  );
}
