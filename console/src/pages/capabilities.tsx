import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Field, Form, Panel } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { wordsOf } from './agent-editor.tsx';
import { AgentSections } from './agent-sections.tsx';
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
  const send = (body: object) =>
    create.mutate(
      { what: 'Make a capability', method: 'post', path, body },
      {
        onSuccess: ({ id }) =>
          void navigate({ to: '/agents/capabilities/$capabilityId', params: { capabilityId: id } }),
      },
    );
  return (
    <Page
      title="Capabilities"
      about="Tools that belong together, with the instructions for them."
      answers={[capabilities]}
    >
      <AgentSections />
      <SearchForm
        hint="Name and description"
        value={q}
        onSearch={(text) => void navigate({ to: '.', search: (now) => ({ ...now, q: text }) })}
      />
      <Table
        label="Capabilities"
        list={capabilities}
        keyOf={({ id }) => id}
        empty={<Empty title={q ? 'No capability fits.' : 'No capabilities yet.'} />}
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
        <CapabilityForm error={create.error} isBusy={create.isPending} button="Make it" onSend={send} />
      </Panel>
    </Page>
  );
}

/** One capability: its instructions and its tools. */
export function CapabilityPage() {
  const { capabilityId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const capability = useAnswer(`${path}/{id}`, { path: { id: capabilityId } });
  const change = useAction();
  const one = { path: `${path}/{id}`, names: { id: capabilityId } } as const;
  return (
    <Page
      title={capability.data?.name ?? 'Capability'}
      answers={[capability]}
      actions={
        <ActButton
          look="bad"
          ask="Delete this capability? Agents that have it keep you from it."
          action={{ what: 'Delete the capability', method: 'delete', ...one }}
          onDone={() => void navigate({ to: '/agents/capabilities' })}
        >
          Delete
        </ActButton>
      }
    >
      <AgentSections />
      {change.error && <Fault error={change.error} />}
      <Loaded answer={capability}>
        {(found) => (
          <>
            <p className="text-soft">
              Version {found.version}. A change holds from the next message on, for every agent that has it.
            </p>
            <CapabilityForm
              key={found.version}
              capability={found}
              error={change.error}
              isBusy={change.isPending}
              button="Save"
              onSend={(body) => change.mutate({ what: 'Change the capability', method: 'put', ...one, body })}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface CapabilityFormProps {
  capability?: Capability;
  error: Error | null;
  isBusy: boolean;
  button: string;
  onSend: (body: object) => void;
}

function CapabilityForm({ capability, error, isBusy, button, onSend }: CapabilityFormProps) {
  const send = ({ name, description, instructions, keywords, ...rest }: Record<string, string>) =>
    onSend({
      ...{ name, description, instructions },
      keywords: wordsOf(keywords),
      toolIds: namesIn(rest, 'tool'),
    });
  return (
    <Form onSend={send}>
      <Field
        label="Name"
        name="name"
        isRequired
        defaultValue={capability?.name ?? ''}
        issue={issueAt(error, 'name')}
      />
      <Field
        label="Description"
        name="description"
        defaultValue={capability?.description ?? ''}
        issue={issueAt(error, 'description')}
      />
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
      <div>
        <Button type="submit" look="main" disabled={isBusy}>
          {button}
        </Button>
      </div>
    </Form>
  );
}
