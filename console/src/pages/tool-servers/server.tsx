import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction, postAction, putAction, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, Panel } from '../../parts/controls.tsx';
import { Editing } from '../../parts/editing.tsx';
import { Page } from '../../parts/page.tsx';
import { Fault, Loaded, SwitchedOff } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { AgentSections } from '../agent-sections.tsx';
import { LastCalls } from './last-calls.tsx';
import { People } from './people.tsx';
import { ServerForm } from './server-form.tsx';
import { ServerTools } from './server-tools.tsx';
import { serversPath, type ToolServer } from './server-words.ts';
import { Health } from './servers.tsx';

const path = `${serversPath}/{serverId}` as const;

/** One MCP server: its health, its tools with what an admin decided about them, and its settings. */
export function ServerPage() {
  return useExternalTools() ? (
    <ConnectedServer />
  ) : (
    <Page title="Tool server">
      <AgentSections />
      <SwitchedOff what="External tools" />
    </Page>
  );
}

function ConnectedServer() {
  const { serverId = '' } = useParams({ strict: false });
  const server = useAnswer(path, { path: { serverId } });
  return (
    <Page
      title={server.data?.name ?? 'Tool server'}
      answers={[server]}
      actions={<ServerActions serverId={serverId} />}
    >
      <AgentSections />
      <Loaded answer={server}>
        {(shown) => (
          <>
            <HealthPanel server={shown} />
            <ServerTools server={shown} />
            <LastCalls server={shown} />
            {shown.grantOf === 'person' && <People server={shown} />}
            <Settings server={shown} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ServerActions({ serverId }: { serverId: string }) {
  const navigate = useNavigate();
  const names = { serverId };
  return (
    <>
      <ActButton look="main" action={postAction('Server contacted', `${path}/refresh`, { names })}>
        Read its tools
      </ActButton>
      <ActButton
        look="bad"
        ask="Delete this server? What was decided about its tools is deleted, too, and agents can no longer call them."
        action={deleteAction('Server deleted', path, names)}
        onDone={() => navigate({ to: '/agents/servers' })}
      >
        Delete
      </ActButton>
    </>
  );
}

function HealthPanel({ server }: { server: ToolServer }) {
  const { url, authorization, checkedAt } = server;
  return (
    <Panel title="Health">
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[max-content_1fr]">
        <dt className="text-soft">State</dt>
        <dd>
          <Health server={server} />
        </dd>
        <dt className="text-soft">Tools read</dt>
        <dd>
          <Time at={checkedAt} />
        </dd>
        <dt className="text-soft">Address</dt>
        <dd dir="ltr" className="font-mono text-xs break-all">
          {url}
        </dd>
        <dt className="text-soft">Authorization</dt>
        <dd>{authorizationWords(server)}</dd>
      </dl>
      {authorization.type === 'oauth' && <SignIn server={server} />}
    </Panel>
  );
}

function Settings({ server }: { server: ToolServer }) {
  const { serverId } = server;
  const change = useAction();
  const read = useAction();
  const send = async (body: object) => {
    const names = { serverId };
    await change.mutateAsync(putAction('Server saved', path, { names, body }));
    await read.mutateAsync(postAction('Server contacted', `${path}/refresh`, { names }));
  };
  return (
    <Panel title="Settings">
      <Editing value={server} version={server.updatedAt} sending={change}>
        {(shown) => (
          <ServerForm
            server={shown}
            error={change.error}
            isBusy={change.isPending || read.isPending}
            button="Save and read its tools"
            onSend={(body) => void send(body).catch(() => undefined)}
          />
        )}
      </Editing>
    </Panel>
  );
}

function authorizationWords({ authorization: { type, header }, grantOf }: ToolServer): string {
  if (grantOf === 'person') return "each person's own account; the tools are read with that of an admin";
  if (type === 'oauth') return 'the sign-in of an admin';
  return type === 'header' ? `the header ${header}` : 'none';
}

/** Leads to the authorization server's page. The person comes back to a page that links to this one. */
function SignIn({ server: { serverId, state } }: { server: ToolServer }) {
  const begin = useAction<Schema<'ToolServerSignIn'>>();
  const send = () =>
    begin.mutate(postAction('Sign-in begun', `${path}/authorize`, { names: { serverId } }), {
      onSuccess: ({ url }) => window.location.assign(url),
    });
  return (
    <div className="mt-4 grid justify-items-start gap-3">
      {begin.error && <Fault error={begin.error} />}
      <Button look={state === 'ready' ? 'plain' : 'main'} disabled={begin.isPending} onClick={send}>
        {state === 'ready' ? 'Sign in again' : 'Sign in'}
      </Button>
    </div>
  );
}
