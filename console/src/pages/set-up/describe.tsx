import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import { useState } from 'react';
import { useActing } from '../../api/acting.tsx';
import { postAction, useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Button, Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { draftInstructions } from './draft-agent.ts';

interface DescribeProps {
  onMade: (made: { bot: string; agent: string }) => void;
}

/** A sentence becomes a drafted agent, which is made together with its bot. */
export function Describe({ onMade }: DescribeProps) {
  const [described, setDescribed] = useState<{ name: string; purpose: string }>();
  const agents = useList('/api/definitions/agents', { query: { limit: 1 } });
  if (!described)
    return (
      <Form onSend={({ name = '', purpose = '' }) => setDescribed({ name, purpose })}>
        <Field label="Name" name="name" isRequired placeholder="Luna" />
        <Field
          label="What does the bot do?"
          name="purpose"
          rows={2}
          isRequired
          placeholder="You answer questions about our café: opening hours, the menu and reservations."
        />
        <SubmitRow button="Draft it" />
      </Form>
    );
  return (
    <Loaded answer={agents}>
      {([newest]) => (
        <Draft {...described} newest={newest} onMade={onMade} onBack={() => setDescribed(undefined)} />
      )}
    </Loaded>
  );
}

interface DraftProps extends DescribeProps {
  name: string;
  purpose: string;
  /** The tenant's newest agent, whose model probably fits this one, too. */
  newest: Schema<'AgentDefinition'> | undefined;
  onBack: () => void;
}

function Draft({ name, purpose, newest, onMade, onBack }: DraftProps) {
  const { tenantId } = useActing();
  const create = useAction<{ id: string; botId: string }>();
  const { error, isPending } = create;
  const send = async (fields: Record<string, string>) => {
    const agent = await create.mutateAsync(
      postAction('Agent created', '/api/definitions/agents', { body: { name, ...fields } }),
    );
    const bot = await create.mutateAsync(
      postAction('Bot created', '/api/bots/{tenantId}/bots', {
        names: { tenantId: tenantId ?? '' },
        body: { name, agentIds: [agent.id] },
      }),
    );
    onMade({ bot: bot.botId, agent: agent.id });
  };
  return (
    <>
      {error && <Fault error={error} />}
      <Form error={error} onSend={(fields) => void send(fields).catch(() => undefined)}>
        <Field
          label="Instructions"
          name="instructions"
          isLong
          isRequired
          hint="A draft of your sentence. Change it as you like, now or later."
          defaultValue={draftInstructions(name, purpose)}
        />
        <Field
          label="Provider"
          name="provider"
          choices={providerNames}
          defaultValue={newest?.provider ?? 'private-llm'}
        />
        <Field
          label="Model"
          name="model"
          isRequired
          hint="The name that the provider gives it."
          defaultValue={newest?.model ?? ''}
        />
        <SubmitRow button="Create the bot" disabled={isPending}>
          <Button onClick={onBack}>Back</Button>
        </SubmitRow>
      </Form>
    </>
  );
}
