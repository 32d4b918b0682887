import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Button, Field, Form } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Fault, Loaded } from '../parts/states.tsx';

type Definition = Schema<'AgentDefinition'>;

export function NewAgent() {
  const navigate = useNavigate();
  const create = useAction<Definition>();
  const send = (body: object) =>
    create.mutate(
      { what: 'Create an agent', method: 'post', path: '/api/definitions/agents', body },
      { onSuccess: ({ id }) => void navigate({ to: '/agents/$agentId', params: { agentId: id } }) },
    );
  return (
    <Page title="New agent">
      {create.error && <Fault error={create.error} />}
      <Editor onSend={send} isBusy={create.isPending} button="Create the agent" />
    </Page>
  );
}

export function Agent() {
  const { agentId = '' } = useParams({ strict: false });
  const agent = useAnswer('/api/definitions/agents/{id}', { path: { id: agentId } });
  const change = useAction();
  const send = (body: object) =>
    change.mutate({
      what: 'Change the agent',
      method: 'put',
      path: '/api/definitions/agents/{id}',
      names: { id: agentId },
      body,
    });
  return (
    <Page title={agent.data?.name ?? 'Agent'} answers={[agent]} actions={<Delete agentId={agentId} />}>
      {change.error && <Fault error={change.error} />}
      <Loaded answer={agent}>
        {(found) => (
          <>
            <p className="text-soft">Version {found.version}. A change holds from the next message on.</p>
            <Editor key={found.version} agent={found} onSend={send} isBusy={change.isPending} button="Save" />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Delete({ agentId }: { agentId: string }) {
  const navigate = useNavigate();
  const remove = useAction();
  const ask = () =>
    window.confirm('Delete this agent? Bots that it serves keep you from it.') &&
    remove.mutate(
      {
        what: 'Delete the agent',
        method: 'delete',
        path: '/api/definitions/agents/{id}',
        names: { id: agentId },
      },
      { onSuccess: () => void navigate({ to: '/agents' }) },
    );
  return (
    <Button look="bad" onClick={ask}>
      Delete
    </Button>
  );
}

interface EditorProps {
  agent?: Definition;
  onSend: (body: object) => void;
  isBusy: boolean;
  button: string;
}

function Editor({ agent, onSend, isBusy, button }: EditorProps) {
  const tools = useList('/api/definitions/tools');
  const send = ({
    name,
    description,
    instructions,
    provider,
    model,
    keywords = '',
    ...rest
  }: Record<string, string>) =>
    onSend({
      ...{ name, description, instructions, provider, model },
      keywords: keywords
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
      // While the tools are not known, those of the agent stay as they are.
      ...(tools.data
        ? { toolIds: tools.data.map(({ id }) => id).filter((id) => rest[`tool ${id}`] === 'on') }
        : {}),
    });
  return (
    <Form onSend={send}>
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
      <Field
        label="Keywords"
        name="keywords"
        hint="With commas between them. Messages with them go to this agent."
        defaultValue={agent?.keywords.join(', ') ?? ''}
      />
      {tools.data && tools.data.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className="text-sm font-medium">Tools</legend>
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
