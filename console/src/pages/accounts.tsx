import { useList } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { PeopleSections } from './people-sections.tsx';

/** Which accounts on the platforms are whose, and who has written to the bots. */
export function Accounts() {
  const links = useList('/api/identity-links');
  const people = useList('/api/platform-users');
  const { names } = useMembers();
  return (
    <Page
      title="People"
      about="Who writes to the bots, and whose accounts are known."
      answers={[links, people]}
    >
      <PeopleSections />
      <h2 className="text-lg font-semibold">Linked accounts</h2>
      <Table
        label="Linked accounts"
        list={links}
        keyOf={({ linkId }) => linkId}
        empty={<Empty title="No account is linked.">People link their own, by signing in with it.</Empty>}
        columns={[
          { title: 'User', of: ({ userId }) => names.get(userId) ?? userId },
          {
            title: 'Account',
            of: ({ platform, name, platformUserId }) => `${platform} ${name ?? platformUserId}`,
          },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Undo',
            of: ({ linkId }) => (
              <ActButton
                look="bad"
                ask="Undo this link?"
                action={{
                  what: 'Undo the link',
                  method: 'delete',
                  path: '/api/identity-links/{linkId}',
                  names: { linkId },
                }}
              >
                Undo
              </ActButton>
            ),
          },
        ]}
      />
      <h2 className="text-lg font-semibold">Who has written</h2>
      <Table
        label="Who has written"
        list={people}
        keyOf={({ platform, platformUserId }) => `${platform} ${platformUserId}`}
        empty={<Empty title="Nobody yet.">Whoever writes to a bot shows up here.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Account', of: ({ platform, platformUserId }) => `${platform} ${platformUserId}` },
        ]}
      />
    </Page>
  );
}
