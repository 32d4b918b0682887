import { deleteAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { PeopleSections } from './people-sections.tsx';

/** Linked platform accounts, and the people who have written to the bots. */
export function Accounts() {
  const links = useList('/api/identity-links');
  const people = useList('/api/platform-users');
  const { nameOf } = useMembers();
  return (
    <Page
      title="People"
      about="Linked platform accounts, and everyone who has written to your bots."
      answers={[links, people]}
    >
      <PeopleSections />
      <h2 className="text-lg font-semibold">Linked accounts</h2>
      <Table
        label="Linked accounts"
        list={links}
        keyOf={({ linkId }) => linkId}
        empty={<Empty title="No linked accounts yet.">People link an account by signing in with it.</Empty>}
        columns={[
          { title: 'User', of: ({ userId }) => nameOf(userId, 'a person who is not a member') },
          {
            title: 'Account',
            of: ({ platform, name, platformUserId }) => `${platform} ${name ?? platformUserId}`,
          },
          { title: 'Linked', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            of: ({ linkId }) => (
              <ActButton
                look="bad"
                ask="Unlink this account?"
                action={deleteAction('Account unlinked', '/api/identity-links/{linkId}', { linkId })}
              >
                Unlink
              </ActButton>
            ),
          },
        ]}
      />
      <h2 className="text-lg font-semibold">People who have written</h2>
      <Table
        label="People who have written"
        list={people}
        keyOf={({ platform, platformUserId }) => `${platform} ${platformUserId}`}
        empty={<Empty title="No one has written yet.">People appear here after they write to a bot.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Account', of: ({ platform, platformUserId }) => `${platform} ${platformUserId}` },
        ]}
      />
    </Page>
  );
}
