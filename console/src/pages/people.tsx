import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { deleteAction, postAction, putAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/bots/tenants/{tenantId}/members';

const newMember = { name: 'member', title: 'Add a member' };

export function People() {
  const { tenantId } = useActing();
  const { q } = useSearch({ strict: false });
  const names = { tenantId: tenantId ?? '' };
  const members = useList(path, { path: names, query: { q }, enabled: tenantId !== null });
  return (
    <Page
      title="People"
      about="Members can read. Admins can also make changes."
      answers={[members]}
      actions={<CreateButton creation={newMember} />}
    >
      <PeopleSections />
      <SearchForm hint="Searches names and email addresses." />
      <Table
        label="People"
        list={members}
        keyOf={({ userId }) => userId}
        empty={
          q ? (
            <Empty title="No matching members." />
          ) : (
            <Empty title="No members yet." action={<CreateButton creation={newMember} />} />
          )
        }
        columns={[
          { title: 'Name', of: ({ name, idpUserId }) => name ?? idpUserId },
          { title: 'Email', of: ({ email }) => email ?? '' },
          { title: 'Role', of: ({ role }) => <State word={role} /> },
          { title: 'Joined', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'First visit', of: ({ firstVisitAt }) => <Time at={firstVisitAt} /> },
          {
            title: 'Actions',
            of: (member) => <Actions names={{ ...names, userId: member.userId }} role={member.role} />,
          },
        ]}
      />
      <CreateDialog creation={newMember}>
        {(onCreated) => <AddMember names={names} onCreated={onCreated} />}
      </CreateDialog>
    </Page>
  );
}

function Actions({ names, role: has }: { names: Record<string, string>; role: 'admin' | 'member' }) {
  const one = `${path}/{userId}` as const;
  const role = has === 'admin' ? 'member' : 'admin';
  return (
    <div className="flex gap-2">
      <ActButton
        ask={`Make this person ${role === 'admin' ? 'an admin, who can change everything' : 'a member, who can only read'}?`}
        action={putAction('Role changed', one, { names, body: { role } })}
      >
        Make {role}
      </ActButton>
      <ActButton
        look="bad"
        ask="Remove this person from the tenant? They lose access immediately."
        action={deleteAction('Member removed', one, names)}
      >
        Remove
      </ActButton>
    </div>
  );
}

function AddMember({ names, onCreated }: { names: Record<string, string>; onCreated: OnCreated }) {
  return (
    <CreateForm
      button="Add member"
      action={(body) => postAction('Member added', path, { names, body })}
      onDone={({ userId }: Schema<'Member'>) => onCreated(userId)}
    >
      <Field label="Identity provider user ID" name="idpUserId" isRequired hint="Format: user_…" />
      <Field label="Role" name="role" choices={['member', 'admin']} />
    </CreateForm>
  );
}
