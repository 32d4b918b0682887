import type { Schema } from '@botyard/client/client';
import { deleteAction, postAction, putAction, useAction } from '../api/use-action.ts';
import { useAgents } from '../api/use-agents.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { chatKinds } from '../parts/chat-kinds.ts';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated, SectionHeading } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { wordsOf } from '../parts/split-text.ts';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

/** The rules for where and when a bot answers, and with which agent. */
export function BotRules({ botId, agentIds }: { botId: string; agentIds: readonly string[] }) {
  return (
    <>
      <Groups botId={botId} />
      <Assignments botId={botId} agentIds={agentIds} />
      <ChatRules botId={botId} />
    </>
  );
}

const groupPath = '/api/bot-groups/{groupId}';
const whens = {
  addressed: 'When addressed',
  always: 'Always',
  never: 'Never',
} as const;

function Groups({ botId }: { botId: string }) {
  const groups = useList('/api/bot-groups', { query: { botId } });
  return (
    <>
      <h2 className="text-lg font-semibold">Groups</h2>
      <Table
        label="Groups"
        list={groups}
        keyOf={({ groupId }) => groupId}
        empty={
          <Empty title="No groups yet.">A group appears here when someone addresses the bot in it.</Empty>
        }
        columns={[
          { title: 'Group', of: ({ title }) => title },
          { title: 'Last message', of: ({ lastMessageAt }) => <Time at={lastMessageAt} /> },
          {
            title: 'Answers',
            of: ({ groupId, answersWhen }) => (
              <div className="flex flex-wrap gap-2">
                {Object.entries(whens).map(([when, words]) => (
                  <ActButton
                    key={when}
                    aria-pressed={when === answersWhen}
                    look={when === answersWhen ? 'main' : 'plain'}
                    disabled={when === answersWhen}
                    action={putAction(`Answers: ${words.toLowerCase()}`, groupPath, {
                      names: { groupId },
                      body: { answersWhen: when },
                      foreseen: { at: ['/api/bot-groups'], only: { groupId }, change: { answersWhen: when } },
                    })}
                  >
                    {words}
                  </ActButton>
                ))}
              </div>
            ),
          },
        ]}
      />
    </>
  );
}

const newAssignment = { name: 'assignment', title: 'New assignment' };

function Assignments({ botId, agentIds }: { botId: string; agentIds: readonly string[] }) {
  const assignments = useList('/api/bot-assignment', { query: { botId } });
  const { nameOf } = useAgents();
  return (
    <>
      <SectionHeading title="Assignments" creation={agentIds.length > 0 ? newAssignment : undefined} />
      <Table
        label="Assignments"
        list={assignments}
        keyOf={({ assignmentId }) => assignmentId}
        empty={
          <Empty
            title="No assignments yet."
            action={agentIds.length > 0 && <CreateButton creation={newAssignment} look="plain" />}
          >
            Messages go to the agent whose name, keywords and description match best.
          </Empty>
        }
        columns={[
          { title: 'Agent', of: ({ agentId }) => nameOf(agentId) },
          { title: 'Chats', of: ({ where }) => Object.values(where).join(', ') || 'all' },
          {
            title: 'Condition',
            of: ({ when: { keywords, language } }) =>
              [keywords?.join(', '), language].filter(Boolean).join('; ') || 'always',
          },
          { title: 'Priority', of: ({ priority }) => priority, isNumber: true },
          {
            title: 'Actions',
            of: ({ assignmentId }) => (
              <ActButton
                look="bad"
                action={deleteAction('Assignment removed', '/api/bot-assignment/{assignmentId}', {
                  assignmentId,
                })}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <CreateDialog creation={newAssignment}>
        {(onCreated) => (
          <Assign
            botId={botId}
            options={agentIds.map((agentId) => [agentId, nameOf(agentId)] as const)}
            onCreated={onCreated}
          />
        )}
      </CreateDialog>
    </>
  );
}

interface AssignProps {
  botId: string;
  options: readonly (readonly [string, string])[];
  onCreated: OnCreated;
}

function Assign({ botId, options, onCreated }: AssignProps) {
  const actionOf = ({ agentId, kind, keywords, priority }: Record<string, string>) => {
    const words = wordsOf(keywords);
    return postAction('Agent assigned', '/api/bot-assignment', {
      body: {
        botId,
        agentId,
        ...(kind ? { where: { kind } } : {}),
        ...(words.length > 0 ? { when: { keywords: words } } : {}),
        priority: Number(priority),
      },
    });
  };
  return (
    <CreateForm
      button="Add assignment"
      action={actionOf}
      onDone={({ assignmentId }: Schema<'Assignment'>) => onCreated(assignmentId)}
    >
      <Field label="Agent" name="agentId" options={options} />
      <Field label="Chats" name="kind" options={chatKinds} />
      <Field
        label="Keywords"
        name="keywords"
        hint="Separate keywords with commas. Leave empty to match every message."
      />
      <Field
        label="Priority"
        name="priority"
        type="number"
        defaultValue="0"
        hint="The assignment with the highest priority wins: a whole number from -1000 to 1000."
      />
    </CreateForm>
  );
}

function ChatRules({ botId }: { botId: string }) {
  const path = '/api/auth/bots/{botId}';
  const rules = useAnswer(path, { path: { botId } });
  const change = useAction();
  const options = [
    ['all', 'All'],
    ['granted', 'Only allowed'],
  ] as const;
  return (
    <Panel title="Chat access">
      {change.error && <Fault error={change.error} />}
      <Loaded answer={rules}>
        {({ channels, privateChats }) => (
          <Form
            onSend={(body) => change.mutate(putAction('Chat access saved', path, { names: { botId }, body }))}
          >
            <Field label="Groups and channels" name="channels" options={options} defaultValue={channels} />
            <Field label="Private chats" name="privateChats" options={options} defaultValue={privateChats} />
            <SubmitRow button="Save" look="plain" disabled={change.isPending} />
          </Form>
        )}
      </Loaded>
    </Panel>
  );
}
