import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useAgents } from '../api/use-agents.ts';
import { useBots } from '../api/use-bots.ts';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { completeList, Table } from '../parts/table.tsx';
import { AgentSections } from './agent-sections.tsx';

interface Preview {
  message: string;
  record: Schema<'TriageRecord'>;
}

const maxSamples = 50;

/** Shows which agent would answer each of several sample messages, and why. */
export function Triage() {
  const bots = useBots();
  const agents = useAgents();
  const [previews, setPreviews] = useState<Preview[]>([]);
  const [state, setState] = useState<{ isBusy: boolean; error?: Error }>({ isBusy: false });
  const nameOf = (agentId: string | null | undefined) => (agentId ? agents.nameOf(agentId) : 'no agent');
  const send = async ({ messages = '', botId }: Record<string, string>) => {
    setState({ isBusy: true });
    setPreviews([]);
    try {
      for (const message of [...new Set(messages.split('\n'))].filter(Boolean).slice(0, maxSamples)) {
        const body = { message, ...(botId ? { botId } : {}) };
        const record = await api.post('/api/agents/triage-preview', { body });
        setPreviews((before) => [...before, { message, record }]);
      }
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: error as Error });
    }
  };
  return (
    <Page
      title="Agents"
      about="Preview which agent would answer a message. Nothing is sent."
      answers={[bots, agents]}
    >
      <AgentSections />
      <Panel title="Sample messages">
        {state.error && <Fault error={state.error} />}
        <Form onSend={(fields) => void send(fields)}>
          <Field
            label="Messages, one per line"
            name="messages"
            isLong
            isRequired
            hint={`Up to ${maxSamples} messages.`}
          />
          <Field label="Bot" name="botId" options={[['', 'All agents'], ...bots.options]} />
          <SubmitRow button="Preview" isForMembers disabled={state.isBusy} />
        </Form>
      </Panel>
      <Table
        label="Routing preview"
        list={completeList(previews)}
        keyOf={({ message }) => message}
        empty={
          <Empty title="No preview yet.">
            Enter messages above as people would write them to see which agent answers each.
          </Empty>
        }
        columns={[
          { title: 'Message', of: ({ message }) => message },
          { title: 'Agent', of: ({ record }) => nameOf(record.agentId ?? record.fallback) },
          { title: 'Rule', of: ({ record }) => record.rule ?? '' },
          {
            title: 'Scores',
            of: ({ record }) =>
              record.candidates
                .map(
                  ({ agentId, score, reasons }) =>
                    `${nameOf(agentId)} ${score.toFixed(1)} (${reasons.join(', ')})`,
                )
                .join('; ') || 'no agent matches',
          },
        ]}
      />
    </Page>
  );
}
