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
    <Page title="People" about="Members read, admins change." answers={[members]}>
      <PeopleSections />
      <SearchForm
        hint="Name and address"
        value={q}
        onSearch={(text) => void navigate({ to: '.', search: (now) => ({ ...now, q: text }) })}
      />
      <Table
        label="People"
        list={members}
        keyOf={({ userId }) => userId}
        empty={<Empty title={q ? 'Nobody fits.' : 'Nobody yet.'} />}
        columns={[
          { title: 'Name', of: ({ name, idpUserId }) => name ?? idpUserId },
          { title: 'Address', of: ({ email }) => email ?? '' },
          { title: 'Role', of: ({ role }) => <State word={role} /> },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
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
        ask={`Make this person ${role === 'admin' ? 'an admin, who may change everything' : 'a member, who may only read'}?`}
        action={{ what: 'Change the role', method: 'put', ...one, body: { role } }}
      >
        Make {role}
      </ActButton>
      <ActButton
        look="bad"
        ask="Take this person out of the tenant?"
        action={{ what: 'Remove the person', method: 'delete', ...one }}
      >
        Remove
      </ActButton>
    </div>
  );
}

function Add({ names }: { names: Record<string, string> }) {
  const add = useAction();
  return (
    <Panel title="Add a colleague">
      {add.error && <Fault error={add.error} />}
      <Form onSend={(body) => add.mutate({ what: 'Add a person', method: 'post', path, names, body })}>
        <Field label="User at the identity provider" name="idpUserId" isRequired hint="As user_…" />
        <Field label="Role" name="role" choices={['member', 'admin']} />
        <SubmitRow button="Add" disabled={add.isPending} />
      </Form>
    </Panel>
  );
}
