import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Field, Panel } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { wordsOf } from './agent-editor.tsx';
import { Definition, DefinitionForm, Definitions, type Sending } from './definitions.tsx';
import { namesIn } from './part-picker.tsx';
import { PickTools } from './pick-parts.tsx';

type Capability = Schema<'CapabilityDefinition'>;

const path = '/api/definitions/capabilities';

/** Tools with instructions that belong together, to be given to agents. */
export function Capabilities() {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const capabilities = useList(path, { query: { q } });
  const create = useAction<Capability>();
  const onSend = (body: object) =>
    create.mutate(
      { what: 'Make a capability', method: 'post', path, body },
      {
        onSuccess: ({ id }) =>
          void navigate({ to: '/agents/capabilities/$capabilityId', params: { capabilityId: id } }),
      },
    );
  const sending = { error: create.error, isBusy: create.isPending, button: 'Make it', onSend };
  return (
    <Definitions
      title="Capabilities"
      about="Tools that belong together, with the instructions for them."
      list={capabilities}
    >
      <Table
        label="Capabilities"
        list={capabilities}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="No capability fits." />
          ) : (
            <Empty title="No capabilities yet.">Make one below, and give it to agents.</Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: ({ id, name }) => (
              <Link
                to="/agents/capabilities/$capabilityId"
                params={{ capabilityId: id }}
                className="text-accent underline"
              >
                {name}
              </Link>
            ),
          },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Tools', of: ({ toolIds }) => toolIds.length, isNumber: true },
          { title: 'Changed', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <Panel title="Make a capability">
        {create.error && <Fault error={create.error} />}
        <CapabilityForm {...sending} />
      </Panel>
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
      users="Agents"
      home="/agents/capabilities"
      about={({ version }) =>
        `Version ${version}. A change holds from the next message on, for every agent that has it.`
      }
    >
      {(found, sending) => <CapabilityForm key={found.version} capability={found} {...sending} />}
    </Definition>
  );
}

function CapabilityForm({ capability, onSend, ...rest }: Sending & { capability?: Capability }) {
  const { error } = rest;
  return (
    <DefinitionForm
      definition={capability}
      onSend={({ name, description, instructions, keywords, ...fields }) =>
        onSend({
          ...{ name, description, instructions },
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
        hint="How its tools are used. They are added to those of the agent."
        defaultValue={capability?.instructions ?? ''}
        issue={issueAt(error, 'instructions')}
      />
      <Field
        label="Keywords"
        name="keywords"
        hint="With commas between them"
        defaultValue={capability?.keywords.join(', ') ?? ''}
        issue={issueAt(error, 'keywords')}
      />
      <PickTools chosen={capability?.toolIds ?? []} most={12} error={error} />
    </DefinitionForm>
  );
}
