import { useNavigate } from '@tanstack/react-router';
import { postAction, useAction } from '../../api/use-action.ts';
import { Panel, SubmitRow } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { Fault } from '../../parts/states.tsx';
import { AgentForm } from './agent-form.tsx';
import type { Definition } from './use-draft.ts';

export function NewAgent() {
  const navigate = useNavigate();
  const create = useAction<Definition>();
  const send = (body: object) =>
    create.mutate(postAction('Agent created', '/api/definitions/agents', { body }), {
      onSuccess: ({ id }) => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    });
  return (
    <Page title="New agent" about="Try and connect it on the next page.">
      {create.error && <Fault error={create.error} />}
      <Panel>
        <AgentForm onSend={send} error={create.error}>
          <SubmitRow button="Create agent" disabled={create.isPending} />
        </AgentForm>
      </Panel>
    </Page>
  );
}
