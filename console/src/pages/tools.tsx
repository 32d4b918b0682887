import type { Schema } from '@botyard/client/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Choose, Field, Form, Panel } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import type { Search } from '../routes.tsx';
import { AgentSections } from './agent-sections.tsx';
import { DefineSimpleTools } from './pick-parts.tsx';
import { kindOf, kindWords, type ToolKind, toolKinds } from './tool-kinds.ts';
import { settingsOf, ToolSettings } from './tool-settings.tsx';

type Tool = Schema<'ToolDefinition'>;

const path = '/api/definitions/tools';

/** The tools that agents and capabilities may be given. */
export function Tools() {
  const { q, kind } = useSearch({ strict: false });
  const navigate = useNavigate();
  const tools = useList(path, { query: { q } });
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }) });
  return (
    <Page
      title="Tools"
      about="What agents can be given to call."
      answers={[tools]}
      actions={<DefineSimpleTools />}
    >
      <AgentSections />
      <SearchForm hint="Name and description" value={q} onSearch={(text) => choose({ q: text })} />
      <Table
        label="Tools"
        list={tools}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="No tool fits." />
          ) : (
            <Empty title="No tools yet.">Define one below, or all that need no settings at once.</Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: ({ id, name }) => (
              <Link to="/agents/tools/$toolId" params={{ toolId: id }} className="text-accent underline">
                {name}
              </Link>
            ),
          },
          { title: 'Kind', of: (tool) => kindWords[tool.kind] },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Changed', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <NewTool kind={kindOf(kind) ?? 'http_get'} onKind={(value) => choose({ kind: value })} />
    </Page>
  );
}

function NewTool({ kind, onKind }: { kind: ToolKind; onKind: (kind: string | undefined) => void }) {
  const navigate = useNavigate();
  const create = useAction<Tool>();
  const send = (body: object) =>
    create.mutate(
      { what: 'Define a tool', method: 'post', path, body: { kind, ...body } },
      {
        onSuccess: ({ id }) => void navigate({ to: '/agents/tools/$toolId', params: { toolId: id } }),
      },
    );
  return (
    <Panel title="Define a tool">
      <div className="grid max-w-2xl gap-4">
        {create.error && <Fault error={create.error} />}
        <Choose
          label="Kind"
          value={kind}
          options={toolKinds.map((one) => [one, kindWords[one]] as const)}
          onChoose={onKind}
        />
        <ToolForm
          key={kind}
          kind={kind}
          error={create.error}
          isBusy={create.isPending}
          button="Define it"
          onSend={send}
        />
      </div>
    </Panel>
  );
}

/** One tool: what it is called and defined with. */
export function ToolPage() {
  const { toolId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const tool = useAnswer(`${path}/{id}`, { path: { id: toolId } });
  const change = useAction();
  const one = { path: `${path}/{id}`, names: { id: toolId } } as const;
  return (
    <Page
      title={tool.data?.name ?? 'Tool'}
      answers={[tool]}
      actions={
        <ActButton
          look="bad"
          ask="Delete this tool? Agents and capabilities that have it keep you from it."
          action={{ what: 'Delete the tool', method: 'delete', ...one }}
          onDone={() => void navigate({ to: '/agents/tools' })}
        >
          Delete
        </ActButton>
      }
    >
      <AgentSections />
      {change.error && <Fault error={change.error} />}
      <Loaded answer={tool}>
        {(found) => (
          <>
            <p className="text-soft first-letter:uppercase">
              {kindWords[found.kind]}. Version {found.version}; a change holds from the next message on.
            </p>
            <ToolForm
              key={found.version}
              kind={found.kind}
              tool={found}
              error={change.error}
              isBusy={change.isPending}
              button="Save"
              onSend={(body) => change.mutate({ what: 'Change the tool', method: 'put', ...one, body })}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ToolFormProps {
  kind: ToolKind;
  tool?: Tool;
  error: Error | null;
  isBusy: boolean;
  button: string;
  onSend: (body: object) => void;
}

function ToolForm({ kind, tool, error, isBusy, button, onSend }: ToolFormProps) {
  const kept = tool?.settings ?? {};
  const send = ({ name, description, ...fields }: Record<string, string>) =>
    onSend({ name, description, settings: settingsOf(kind, fields, kept) });
  return (
    <Form onSend={send}>
      <Field
        label="Name"
        name="name"
        isRequired
        hint="By which a model calls it: letters, digits, _ and -"
        defaultValue={tool?.name ?? ''}
        issue={issueAt(error, 'name')}
      />
      <Field
        label="Description"
        name="description"
        hint="For the model. Empty: what its kind does"
        defaultValue={tool?.description ?? ''}
        issue={issueAt(error, 'description')}
      />
      <ToolSettings kind={kind} settings={kept} error={error} />
      <div>
        <Button type="submit" look="main" disabled={isBusy}>
          {button}
        </Button>
      </div>
    </Form>
  );
}
