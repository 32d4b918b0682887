import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { useMayChange } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Editing } from '../parts/editing.tsx';
import { Page } from '../parts/page.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { AgentEditor } from './agent-editor.tsx';
import { AgentModel } from './agent-model.tsx';
import { AgentTrial } from './agent-trial.tsx';
import { AgentVersions } from './agent-versions.tsx';

type Definition = Schema<'AgentDefinition'>;

export function NewAgent() {
  const navigate = useNavigate();
  const create = useAction<Definition>();
  const send = (body: object) =>
    create.mutate(
      { what: 'Agent created', method: 'post', path: '/api/definitions/agents', body },
      { onSuccess: ({ id }) => void navigate({ to: '/agents/$agentId', params: { agentId: id } }) },
    );
  return (
    <Page title="New agent">
      {create.error && <Fault error={create.error} />}
      <AgentEditor onSend={send} isBusy={create.isPending} error={create.error} button="Create agent" />
    </Page>
  );
}

export function Agent() {
  const { agentId = '' } = useParams({ strict: false });
  const agent = useAnswer('/api/definitions/agents/{id}', { path: { id: agentId } });
  const change = useAction();
  const mayChange = useMayChange();
  const form = useRef<HTMLFormElement>(null);
  const send = (body: object) =>
    change.mutate({
      what: 'Agent saved',
      method: 'put',
      path: '/api/definitions/agents/{id}',
      names: { id: agentId },
      body,
    });
  return (
    <Page title={agent.data?.name ?? 'Agent'} answers={[agent]} actions={<Actions agent={agent.data} />}>
      {change.error && <Fault error={change.error} />}
      <Loaded answer={agent}>
        {(found) => (
          <>
            <p className="text-soft">Version {found.version}. Changes apply from the next message.</p>
            <Editing value={found} version={found.version} isBusy={change.isPending} error={change.error}>
              {(shown) => (
                <AgentEditor
                  agent={shown}
                  onSend={send}
                  isBusy={change.isPending}
                  error={change.error}
                  button="Save"
                  form={form}
                />
              )}
            </Editing>
            {mayChange && (
              <>
                <AgentTrial agentId={agentId} form={form} />
                <AgentModel agentId={agentId} />
                <AgentVersions agentId={agentId} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ agent }: { agent: Definition | undefined }) {
  const navigate = useNavigate();
  if (!agent) return null;
  const path = '/api/definitions/agents/{id}';
  const names = { id: agent.id };
  const end = agent.publication ? 'unpublish' : 'publish';
  return (
    <>
      <ActButton
        {...(agent.publication
          ? {}
          : { ask: 'Publish this agent? Every tenant will be able to read and copy it.' })}
        action={{
          what: agent.publication ? 'Agent unpublished' : 'Agent published',
          method: 'post',
          path: `${path}/${end}`,
          names,
        }}
      >
        {agent.publication ? 'Unpublish' : 'Publish'}
      </ActButton>
      <ActButton
        look="bad"
        ask="Delete this agent? It can't be deleted while bots use it."
        action={{ what: 'Agent deleted', method: 'delete', path, names }}
        onDone={() => navigate({ to: '/agents' })}
      >
        Delete
      </ActButton>
    </>
  );
}
