import type { Schema } from '@botyard/client/client';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

const path = '/api/auth/tokens';

export function Tokens() {
  const tokens = useList(path);
  const { names } = useMembers();
  return (
    <Page
      title="Tokens"
      about="API tokens for your programs. Each token works only in this tenant, with its own role. It keeps working after the person who created it leaves the tenant."
      answers={[tokens]}
    >
      <Table
        label="API tokens"
        list={tokens}
        keyOf={({ tokenId }) => tokenId}
        empty={<Empty title="No API tokens yet.">Create a token below for your backend or a script.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Token', of: ({ maskedToken }) => <code>{maskedToken}</code> },
          { title: 'Role', of: ({ role }) => <State word={role} /> },
          { title: 'Created', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Created by', of: (token) => <Creator token={token} names={names} /> },
          { title: 'Last used', of: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Expires', of: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: 'Actions', of: ({ tokenId }) => <Revoke tokenId={tokenId} /> },
        ]}
      />
      <Add />
    </Page>
  );
}

interface CreatorProps {
  token: Schema<'ApiToken'>;
  names: ReadonlyMap<string, string>;
}

function Creator({ token: { createdBy, creatorRole }, names }: CreatorProps) {
  if (createdBy === null) return <span className="text-soft">deleted user</span>;
  return (
    <>
      {names.get(createdBy) ?? <code>{createdBy}</code>}
      {creatorRole !== 'admin' && <span className="text-warn"> (not an admin of this tenant)</span>}
    </>
  );
}

function Revoke({ tokenId }: { tokenId: string }) {
  return (
    <ActButton
      look="bad"
      ask="Revoke this token? Requests that use it are rejected immediately."
      action={{ what: 'Token revoked', method: 'delete', path: `${path}/{tokenId}`, names: { tokenId } }}
    >
      Revoke
    </ActButton>
  );
}

function Add() {
  const add = useAction<Schema<'CreatedApiToken'>>();
  const send = ({ name, role, days }: Record<string, string>) => {
    const expiresAt = days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null;
    add.mutate({ what: 'Token created', method: 'post', path, body: { name, role, expiresAt } });
  };
  return (
    <Panel title="Create a token">
      {add.error && <Fault error={add.error} />}
      {add.data && <Made key={add.data.tokenId} token={add.data.token} onSeen={() => add.reset()} />}
      <Form onSend={send}>
        <Field label="Name" name="name" isRequired hint="What you use the token for." />
        <Field label="Role" name="role" choices={['member', 'admin']} />
        <Field
          label="Expires after"
          name="days"
          options={[
            ['90', '90 days'],
            ['30', '30 days'],
            ['365', '365 days'],
            ['', 'Never'],
          ]}
        />
        <SubmitRow button="Create token" disabled={add.isPending} />
      </Form>
    </Panel>
  );
}

/** Shows a new token once. It disappears when the user leaves the page. */
function Made({ token, onSeen }: { token: string; onSeen: () => void }) {
  return (
    <div role="status" className="mb-4 grid justify-items-start gap-2 rounded-lg border border-line p-4">
      <p className="font-medium">Copy the token now. It won't be shown again.</p>
      <code className="break-all">{token}</code>
      <div className="flex gap-2">
        <CopyButton text={token}>Copy</CopyButton>
        <Button onClick={onSeen}>Done</Button>
      </div>
    </div>
  );
}
