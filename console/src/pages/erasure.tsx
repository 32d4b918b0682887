import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { AccountFields } from './account-fields.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/admin/gdpr/requests';

export function Erasure() {
  const requests = useList(path, { everyMs: 4000 });
  return (
    <Page
      title="People"
      about="Permanently erase everything that a person has written or left here, in every service."
      answers={[requests]}
    >
      <PeopleSections />
      <Table
        label="Erasures"
        list={requests}
        keyOf={({ requestId }) => requestId}
        empty={<Empty title="No erasures yet.">Erase a person below. The receipt appears here.</Empty>}
        columns={[
          { title: 'Requested', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'State', of: ({ state }) => <State word={state} /> },
          { title: 'Completed', of: ({ completedAt }) => <Time at={completedAt} /> },
          { title: 'Waiting for', of: ({ waitsFor }) => waitsFor ?? '' },
          {
            title: 'Receipt',
            of: ({ receipts }) =>
              receipts.map(({ store, erased }) => `${store}: ${count(erased)}`).join(', '),
          },
        ]}
      />
      <Ask />
    </Page>
  );
}

function Ask() {
  const ask = useAction();
  const send = ({ platform, platformUserId }: Record<string, string>) => {
    if (!window.confirm(`Permanently erase all data of ${platformUserId}? This can't be undone.`)) return;
    ask.mutate({ what: 'Erasure requested', method: 'post', path, body: { platform, platformUserId } });
  };
  return (
    <Panel title="Erase a person">
      {ask.error && <Fault error={ask.error} />}
      <Form onSend={send}>
        <AccountFields />
        <SubmitRow button="Erase" look="bad" disabled={ask.isPending} />
      </Form>
    </Panel>
  );
}
