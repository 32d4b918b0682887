import type { Schema } from '@botyard/client/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { Button, State } from '../parts/controls.tsx';
import { Json, Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

export function Approvals() {
  const { by } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isHistory = by === 'history';
  const tickets = useList('/api/integrations/pending', {
    everyMs: 4000,
    ...(isHistory ? {} : { query: { status: 'pending' } }),
  });
  const toggle = (
    <Button
      aria-pressed={isHistory}
      onClick={() =>
        void navigate({
          to: '.',
          search: (now) => ({ ...now, by: isHistory ? undefined : 'history' }),
          replace: true,
        })
      }
    >
      History
    </Button>
  );
  return (
    <Page
      title="Approvals"
      about="Calls of external tools that a rule holds back until a person has decided."
      answers={[tickets]}
      actions={toggle}
    >
      <Table
        label="Calls"
        list={tickets}
        keyOf={({ ticketId }) => ticketId}
        empty={<Empty title="Nothing waits.">A call shows up here when a rule asks for an approval.</Empty>}
        columns={[
          { title: 'Tool', of: ({ toolkit, tool }) => `${toolkit} ${tool}` },
          { title: 'For', of: ({ requesters }) => requesters.map(({ name }) => name).join(', ') },
          { title: 'Exact arguments', of: (ticket) => <Json value={ticket.arguments} /> },
          { title: 'State', of: ({ status }) => <State word={status} /> },
          { title: 'Until', of: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: 'Outcome',
            of: ({ decidedAt, detail, note }) => <Outcome {...{ decidedAt, detail, note }} />,
          },
          {
            title: 'Decide',
            of: ({ ticketId, status }) => status === 'pending' && <Decide ticketId={ticketId} />,
          },
        ]}
      />
    </Page>
  );
}

function Outcome({ decidedAt, detail, note }: Pick<Schema<'ToolTicket'>, 'decidedAt' | 'detail' | 'note'>) {
  if (!decidedAt) return null;
  return (
    <>
      <Time at={decidedAt} /> {[note, detail].filter(Boolean).join(': ')}
    </>
  );
}

function Decide({ ticketId }: { ticketId: string }) {
  const decide = useAction();
  const send = (what: 'approve' | 'reject') =>
    decide.mutate({
      what: what === 'approve' ? 'Approve the call' : 'Reject the call',
      method: 'post',
      path: `/api/integrations/pending/{ticketId}/${what}`,
      names: { ticketId },
      body: {},
    });
  return (
    <div className="flex gap-2">
      <Button look="main" disabled={decide.isPending} onClick={() => send('approve')}>
        Approve
      </Button>
      <Button look="bad" disabled={decide.isPending} onClick={() => send('reject')}>
        Reject
      </Button>
    </div>
  );
}
