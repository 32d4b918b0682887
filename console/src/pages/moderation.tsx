import type { Schema } from '@botyard/client/client';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AccountFields } from './account-fields.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/auth/moderation';

const newMute = { name: 'mute', title: 'Mute a person' };

/** Muted people, whose messages bots ignore. */
export function Moderation() {
  const mutes = useList(path);
  const people = useList('/api/platform-users');
  return (
    <Page
      title="People"
      about="Bots ignore messages from muted people."
      answers={[mutes, people]}
      actions={<CreateButton creation={newMute} />}
    >
      <PeopleSections />
      <Table
        label="Muted"
        list={mutes}
        keyOf={({ muteId }) => muteId}
        empty={
          <Empty title="No muted people." action={<CreateButton creation={newMute} />}>
            All bots ignore a muted person.
          </Empty>
        }
        columns={[
          { title: 'Account', of: ({ platform, platformUserId }) => `${platform} ${platformUserId}` },
          { title: 'Reason', of: ({ reason }) => reason ?? '' },
          { title: 'Until', of: ({ until }) => (until ? <Time at={until} /> : 'unmuted') },
          { title: 'Muted', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            of: ({ muteId }) => (
              <ActButton action={deleteAction('Person unmuted', `${path}/{muteId}`, { muteId })}>
                Unmute
              </ActButton>
            ),
          },
        ]}
      />
      <CreateDialog creation={newMute}>{(onCreated) => <Mute onCreated={onCreated} />}</CreateDialog>
    </Page>
  );
}

function Mute({ onCreated }: { onCreated: OnCreated }) {
  const actionOf = ({ platform, platformUserId, reason, hours }: Record<string, string>) =>
    postAction('Person muted', path, {
      body: {
        platform,
        platformUserId,
        ...(reason ? { reason } : {}),
        ...(hours ? { until: new Date(Date.now() + Number(hours) * 3_600_000).toISOString() } : {}),
      },
    });
  return (
    <CreateForm button="Mute" action={actionOf} onDone={({ muteId }: Schema<'Mute'>) => onCreated(muteId)}>
      <AccountFields />
      <Field label="Reason" name="reason" />
      <Field
        label="Duration"
        name="hours"
        options={[
          ['1', '1 hour'],
          ['24', '1 day'],
          ['168', '1 week'],
          ['', 'Until unmuted'],
        ]}
      />
    </CreateForm>
  );
}
