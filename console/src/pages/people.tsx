import { useNavigate, useSearch } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/bots/tenants/{tenantId}/members';

export function People() {
  const { tenantId } = useActing();
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const names = { tenantId: tenantId ?? '' };
  const members = useList(path, { path: names, query: { q }, enabled: tenantId !== null });
  return (
    <Page title="People" about="Members can read. Admins can also make changes." answers={[members]}>
      <PeopleSections />
      <SearchForm
        hint="Searches names and email addresses."
        value={q}
        onSearch={(text) => void navigate({ to: '.', search: (now) => ({ ...now, q: text }) })}
      />
      <Table
        label="People"
        list={members}
        keyOf={({ userId }) => userId}
        empty={<Empty title={q ? 'No matching members.' : 'No members yet.'} />}
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
      <Add names={names} />
    </Page>
  );
}

function Actions({ names, role: has }: { names: Record<string, string>; role: 'admin' | 'member' }) {
  const one = { path: `${path}/{userId}`, names } as const;
  const role = has === 'admin' ? 'member' : 'admin';
  return (
    <div className="flex gap-2">
      <ActButton
        ask={`Make this person ${role === 'admin' ? 'an admin, who can change everything' : 'a member, who can only read'}?`}
        action={{ what: 'Role changed', method: 'put', ...one, body: { role } }}
      >
        Make {role}
      </ActButton>
      <ActButton
        look="bad"
        ask="Remove this person from the tenant? They lose access immediately."
        action={{ what: 'Member removed', method: 'delete', ...one }}
      >
        Remove
      </ActButton>
    </div>
  );
}

function Add({ names }: { names: Record<string, string> }) {
  const add = useAction();
  return (
    <Panel title="Add a member">
      {add.error && <Fault error={add.error} />}
      <Form onSend={(body) => add.mutate({ what: 'Member added', method: 'post', path, names, body })}>
        <Field label="Identity provider user ID" name="idpUserId" isRequired hint="Format: user_…" />
        <Field label="Role" name="role" choices={['member', 'admin']} />
        <SubmitRow button="Add member" disabled={add.isPending} />
      </Form>
    </Panel>
  );
}
