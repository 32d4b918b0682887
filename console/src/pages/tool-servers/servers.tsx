import { useNavigate } from '@tanstack/react-router';
import { postAction, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { State } from '../../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../../parts/create-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, SwitchedOff } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { AgentSections } from '../agent-sections.tsx';
import { ServerForm } from './server-form.tsx';
import { serverStateWords, serversPath, type ToolServer } from './server-words.ts';

const about = 'MCP servers whose tools your agents may call, once you have allowed them one by one.';

const newServer = { name: 'server', title: 'Add a server' };

/** The MCP servers of the tenant. */
export function Servers() {
  return useExternalTools() ? (
    <ConnectedServers />
  ) : (
    <Page title="Tool servers" about={about}>
      <AgentSections />
      <SwitchedOff what="External tools" />
    </Page>
  );
}

function ConnectedServers() {
  const servers = useAnswer(serversPath);
  return (
    <Page
      title="Tool servers"
      about={about}
      answers={[servers]}
      actions={<CreateButton creation={newServer} />}
    >
      <AgentSections />
      <Table
        label="Tool servers"
        list={servers}
        keyOf={({ serverId }) => serverId}
        empty={
          <Empty title="No tool servers yet." action={<CreateButton creation={newServer} />}>
            The tools of a new one are read at once.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            of: ({ serverId, name }) => (
              <TextLink to="/agents/servers/$serverId" params={{ serverId }}>
                {name}
              </TextLink>
            ),
          },
          { title: 'State', of: (server) => <Health server={server} /> },
          { title: 'Address', of: ({ url }) => <bdi className="font-mono text-xs break-all">{url}</bdi> },
          { title: 'Tools read', of: ({ checkedAt }) => <Time at={checkedAt} /> },
        ]}
      />
      <CreateDialog creation={newServer}>{() => <AddServer />}</CreateDialog>
    </Page>
  );
}

/** The state of a server, and why it isn't ready. */
export function Health({ server: { state, lastError } }: { server: ToolServer }) {
  return (
    <>
      <State word={serverStateWords[state]} /> {lastError && <span className="text-bad">{lastError}</span>}
    </>
  );
}

/** Adds a server, and reads its tools: its page then shows them, or why they could not be read. */
function AddServer() {
  const navigate = useNavigate();
  const add = useAction<ToolServer>({ isErrorShown: true });
  const read = useAction<ToolServer>();
  const send = async (body: object) => {
    const { serverId } = await add.mutateAsync(postAction('Server added', serversPath, { body }));
    const names = { serverId };
    const path = `${serversPath}/{serverId}/refresh` as const;
    await read.mutateAsync(postAction('Server contacted', path, { names })).catch(() => undefined);
    await navigate({ to: '/agents/servers/$serverId', params: names });
  };
  return (
    <ServerForm
      error={add.error}
      isBusy={add.isPending || read.isPending}
      button="Add server"
      onSend={(body) => void send(body).catch(() => undefined)}
    />
  );
}
