import type { Schema } from '@botyard/client/client';
import { postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { AccountFields } from './account-fields.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/admin/gdpr/requests';

const newErasure = { name: 'erasure', title: 'Erase a person' };

export function Erasure() {
  const requests = useList(path, { everyMs: 4000 });
  return (
    <Page
      title="People"
      about="Permanently erase everything that a person has written or left here, in every service."
      answers={[requests]}
      actions={<CreateButton creation={newErasure} look="bad" />}
    >
      <PeopleSections />
      <Table
        label="Erasures"
        list={requests}
        keyOf={({ requestId }) => requestId}
        empty={
          <Empty title="No erasures yet." action={<CreateButton creation={newErasure} look="bad" />}>
            Each erasure leaves its receipt here.
          </Empty>
        }
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
      <CreateDialog creation={newErasure}>{(onCreated) => <Erase onCreated={onCreated} />}</CreateDialog>
    </Page>
  );
}

function Erase({ onCreated }: { onCreated: OnCreated }) {
  const actionOf = ({ platform, platformUserId }: Record<string, string>) => {
    const isConfirmed = window.confirm(
      `Permanently erase all data of ${platformUserId}? This can't be undone.`,
    );
    return isConfirmed
      ? postAction('Erasure requested', path, { body: { platform, platformUserId } })
      : undefined;
  };
  return (
    <CreateForm
      button="Erase"
      look="bad"
      action={actionOf}
      onDone={({ requestId }: Schema<'ErasureRequest'>) => onCreated(requestId)}
    >
      <AccountFields />
    </CreateForm>
  );
}
