import { postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { State } from '../parts/controls.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';

const path = '/api/idp-admin/users/{idpUserId}';

export function OperatorIdentity() {
  const users = useList('/api/idp-admin/users');
  const organizations = useList('/api/idp-admin/organizations');
  return (
    <OperatorPage answers={[users, organizations]}>
      <h2 className="text-lg font-semibold">Users</h2>
      <Table
        label="Users"
        list={users}
        keyOf={({ idpUserId }) => idpUserId}
        empty={<Empty title="No users yet." />}
        columns={[
          { title: 'Name', of: ({ name, idpUserId }) => name ?? idpUserId },
          { title: 'Email', of: ({ email }) => email ?? '' },
          { title: 'Tenants', of: ({ tenants }) => tenants.length, isNumber: true },
          { title: 'Last sign-in', of: ({ lastSignInAt }) => <Time at={lastSignInAt} /> },
          { title: 'State', of: ({ banned, locked }) => <State word={stateOf(banned, locked)} /> },
          {
            title: 'Actions',
            of: ({ idpUserId, banned }) => (
              <ActButton
                look={banned ? 'plain' : 'bad'}
                {...(banned ? {} : { ask: 'Ban this person? Their sessions end immediately.' })}
                action={postAction(
                  banned ? 'Person unbanned' : 'Person banned',
                  `${path}/${banned ? 'unban' : 'ban'}`,
                  { names: { idpUserId } },
                )}
              >
                {banned ? 'Unban' : 'Ban'}
              </ActButton>
            ),
          },
        ]}
      />
      <h2 className="text-lg font-semibold">Organizations</h2>
      <Table
        label="Organizations"
        list={organizations}
        keyOf={({ idpOrgId }) => idpOrgId}
        empty={
          <Empty title="No organizations yet.">
            Organizations of the identity provider appear here with their tenants.
          </Empty>
        }
        columns={[
          { title: 'Organization', of: ({ name }) => name },
          { title: 'Tenant', of: ({ tenantName }) => tenantName ?? 'none' },
          { title: 'Members', of: ({ membersCount }) => membersCount ?? '', isNumber: true },
          { title: 'Created', of: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </OperatorPage>
  );
}

const stateOf = (banned: boolean, locked: boolean): string => {
  if (banned) return 'banned';
  return locked ? 'locked' : 'active';
};
