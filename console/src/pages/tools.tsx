import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { postAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Choose } from '../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../parts/create-dialog.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { useChangeSearch } from '../parts/use-change-search.ts';
import { Definition, DefinitionForm, Definitions, type Sending } from './definitions.tsx';
import { DefineSimpleTools } from './pick-parts.tsx';
import { kindOf, kindWords, type ToolKind, toolKinds } from './tool-kinds.ts';
import { useOrigins } from './tool-servers/use-servers.ts';
import { settingsOf, ToolSettings } from './tool-settings.tsx';

type Tool = Schema<'ToolDefinition'>;

const path = '/api/definitions/tools';

const newTool = { name: 'tool', title: 'New tool' };

/** The tools that can be added to agents and capabilities. */
export function Tools() {
  const { q, kind } = useSearch({ strict: false });
  const change = useChangeSearch();
  const tools = useList(path, { query: { q } });
  const originOf = useOrigins();
  return (
    <Definitions
      title="Tools"
      about="Tools that agents can call."
      list={tools}
      actions={
        <>
          <DefineSimpleTools />
          <CreateButton creation={newTool} />
        </>
      }
    >
      <Table
        label="Tools"
        list={tools}
        keyOf={({ id }) => id}
        empty={
          q ? (
            <Empty title="No matching tools.">Try another search.</Empty>
          ) : (
            <Empty title="No tools yet." action={<CreateButton creation={newTool} />}>
              Create one, or add all built-in tools that need no settings.
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            of: ({ id, name }) => (
              <TextLink to="/agents/tools/$toolId" params={{ toolId: id }}>
                {name}
              </TextLink>
            ),
          },
          { title: 'Kind', of: (tool) => kindWords[tool.kind] },
          { title: 'Origin', of: ({ settings }) => originOf(settings) },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <CreateDialog creation={newTool}>
        {() => <NewTool kind={kindOf(kind) ?? 'http_get'} onKind={(value) => change({ kind: value })} />}
      </CreateDialog>
    </Definitions>
  );
}

function NewTool({ kind, onKind }: { kind: ToolKind; onKind: (kind: string | undefined) => void }) {
  const navigate = useNavigate();
  const create = useAction<Tool>({ isErrorShown: true });
  const onSend = (body: object) =>
    create.mutate(postAction('Tool created', path, { body: { kind, ...body } }), {
      onSuccess: ({ id }) => void navigate({ to: '/agents/tools/$toolId', params: { toolId: id } }),
    });
  const sending = { error: create.error, isBusy: create.isPending, button: 'Create tool', onSend };
  return (
    <div className="grid gap-4">
      {create.error && <Fault error={create.error} />}
      <Choose
        label="Kind"
        value={kind}
        options={toolKinds.map((one) => [one, kindWords[one]] as const)}
        onChoose={onKind}
      />
      <ToolForm key={kind} kind={kind} {...sending} />
    </div>
  );
}

/** One tool, with its name, its description and its settings. */
export function ToolPage() {
  const { toolId = '' } = useParams({ strict: false });
  const tool = useAnswer(`${path}/{id}`, { path: { id: toolId } });
  return (
    <Definition
      kind="tool"
      answer={tool}
      one={{ path: `${path}/{id}`, names: { id: toolId } }}
      users="agents or capabilities"
      home="/agents/tools"
      about={({ kind, version }) =>
        `${kindWords[kind]}. Version ${version}. Changes apply from the next message.`
      }
    >
      {(found, sending) => <ToolForm kind={found.kind} tool={found} {...sending} />}
    </Definition>
  );
}

function ToolForm({ kind, tool, onSend, ...rest }: Sending & { kind: ToolKind; tool?: Tool }) {
  const kept = tool?.settings ?? {};
  return (
    <DefinitionForm
      definition={tool}
      nameHint="The name by which the model calls the tool. Use letters, digits, _ and -."
      descriptionHint="Tells the model what the tool does. Defaults to the description of its kind."
      onSend={({ name, description, ...fields }) =>
        onSend({ name, description, settings: settingsOf(kind, fields, kept) })
      }
      {...rest}
    >
      <ToolSettings kind={kind} settings={kept} />
    </DefinitionForm>
  );
}
