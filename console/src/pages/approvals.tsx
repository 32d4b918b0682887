import { useSearch } from '@tanstack/react-router';
import { postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useExternalTools } from '../api/use-config.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, State } from '../parts/controls.tsx';
import { Json, Page } from '../parts/page.tsx';
import { Empty, SwitchedOff } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { useChangeSearch } from '../parts/use-change-search.ts';
import { TicketQuestions } from './ticket-questions.tsx';
import { useOrigins } from './tool-servers/use-servers.ts';

/** Calls that wait for a decision, or with `?by=history` all calls that were made or decided. */
export function Approvals() {
  const { by } = useSearch({ strict: false });
  if (!useExternalTools())
    return (
      <Page title="Approvals" about={about}>
        <SwitchedOff what="External tools" />
      </Page>
    );
  return by === 'history' ? <History /> : <Waiting />;
}

const about = 'Calls of external tools that a rule holds until a person decides.';

function Switch({ isHistory }: { isHistory: boolean }) {
  const change = useChangeSearch({ replace: true });
  const by = isHistory ? undefined : 'history';
  return (
    <Button aria-pressed={isHistory} onClick={() => change({ by })}>
      History
    </Button>
  );
}

export const namesOf = (requesters: readonly { name: string }[]) =>
  requesters.map(({ name }) => name).join(', ');

interface RequestedByProps {
  call: { requesters: readonly { name: string }[]; chatId: string | null; agentId: string };
}

/** The people for whom a call is made, with the ways to their chat and to the agent that makes it. */
function RequestedBy({ call: { requesters, chatId, agentId } }: RequestedByProps) {
  const agents = useList('/api/definitions/agents');
  const agent = agents.data?.find(({ id }) => id === agentId);
  return (
    <div className="grid gap-1">
      <bdi>{namesOf(requesters)}</bdi>
      <span className="flex flex-wrap gap-x-3">
        {chatId && (
          <TextLink to="/inbox/$chatId" params={{ chatId }}>
            Open the chat
          </TextLink>
        )}
        {agent && (
          <TextLink to="/agents/$agentId" params={{ agentId }}>
            <bdi>{agent.name}</bdi>
          </TextLink>
        )}
      </span>
    </div>
  );
}

function Waiting() {
  const originOf = useOrigins();
  const tickets = useList('/api/integrations/pending', { everyMs: 4000 });
  return (
    <Page title="Approvals" about={about} answers={[tickets]} actions={<Switch isHistory={false} />}>
      <Table
        label="Calls"
        list={tickets}
        keyOf={({ ticketId }) => ticketId}
        empty={<Empty title="No pending approvals.">Calls appear here when a rule requires approval.</Empty>}
        columns={[
          { title: 'Tool', of: ({ toolkit, tool }) => `${originOf({ toolkit })} ${tool}` },
          { title: 'Requested by', of: (ticket) => <RequestedBy call={ticket} /> },
          {
            title: 'Arguments',
            of: ({ ticketId, argumentsText, input }) => (
              <div className="grid gap-3">
                <ExactArguments text={argumentsText} />
                {input && <TicketQuestions ticketId={ticketId} input={input} />}
              </div>
            ),
          },
          { title: 'State', of: ({ status }) => <State word={status} /> },
          { title: 'Expires', of: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: 'Actions', of: ({ ticketId, input }) => !input && <Decide ticketId={ticketId} /> },
        ]}
      />
    </Page>
  );
}

/**
 * Arguments as they will be sent. Each name and text is isolated, so that letters written from right to left don't
 * change the order of what stands beside them.
 */
export function ExactArguments({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <pre tabIndex={0} dir="ltr" className="max-h-[60vh] overflow-auto rounded bg-hover p-3 text-xs">
      {text.split(/("(?:[^"\\]|\\.)*")/).map((part, place) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
        part.startsWith('"') ? <bdi key={place}>{part}</bdi> : part,
      )}
    </pre>
  );
}

function History() {
  const originOf = useOrigins();
  const calls = useList('/api/integrations/history', { everyMs: 4000 });
  return (
    <Page title="Approvals" about={about} answers={[calls]} actions={<Switch isHistory />}>
      <Table
        label="History"
        list={calls}
        keyOf={({ executionId }) => executionId}
        empty={
          <Empty title="No calls yet.">Calls of external tools appear here once an agent makes them.</Empty>
        }
        columns={[
          { title: 'Tool', of: ({ toolkit, tool }) => `${originOf({ toolkit })} ${tool}` },
          { title: 'Requested by', of: (call) => <RequestedBy call={call} /> },
          { title: 'Arguments', of: (call) => <Json value={call.arguments} /> },
          {
            title: 'Rule',
            of: ({ decision }) => <TextLink to="/agents/tools">{decision}</TextLink>,
          },
          { title: 'Outcome', of: ({ outcome }) => <State word={outcome} /> },
          { title: 'Time', of: ({ startedAt }) => <Time at={startedAt} /> },
        ]}
      />
    </Page>
  );
}

export function Decide({ ticketId }: { ticketId: string }) {
  const path = '/api/integrations/pending/{ticketId}';
  const parts = { names: { ticketId }, body: {} };
  return (
    <div className="flex gap-2">
      <ActButton look="main" action={postAction('Call approved', `${path}/approve`, parts)}>
        Approve
      </ActButton>
      <ActButton look="bad" action={postAction('Call rejected', `${path}/reject`, parts)}>
        Reject
      </ActButton>
    </div>
  );
}
