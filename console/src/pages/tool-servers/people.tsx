import { platformTitles } from 'virtual:platform-titles';
import { deleteAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Panel } from '../../parts/controls.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';
import { serversPath, type ToolServer } from './server-words.ts';

const path = `${serversPath}/{serverId}/people` as const;

/** The people who have connected an account of their own to the server. */
export function People({ server: { serverId } }: { server: ToolServer }) {
  const people = useList(path, { path: { serverId } });
  return (
    <Panel title="Connected people">
      <Table
        label="Connected people"
        list={people}
        keyOf={({ personId }) => personId}
        empty={<Empty title="Nobody yet.">People appear here once they have connected their account.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Channel', of: ({ platform }) => platformTitles[platform] ?? platform },
          { title: 'Connected or renewed', of: ({ connectedAt }) => <Time at={connectedAt} /> },
          {
            title: '',
            of: ({ personId, name }) => (
              <ActButton
                look="bad"
                ask={`Disconnect the account of ${name}? The bot sends them a new link when they ask again.`}
                action={deleteAction('Account disconnected', `${path}/{personId}`, { serverId, personId })}
              >
                Disconnect
              </ActButton>
            ),
          },
        ]}
      />
    </Panel>
  );
}
