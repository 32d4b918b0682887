import type { Schema } from '@botyard/client/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Choose, Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import type { Search } from '../routes.tsx';
import { InboxSections } from './inbox-sections.tsx';
import { grantKinds, grantsPath, meaningOf } from './sender-grants.ts';

type Grant = Schema<'SenderGrant'>;
const kindWords = { sender: 'one address', thread: 'a thread', group: 'a domain' } as const;

/** Senders that may write to a bot by mail, and who has allowed it. */
export function Senders() {
  const { bot, kind: wanted } = useSearch({ strict: false });
  const kind = grantKinds.find((one) => one === wanted);
  const navigate = useNavigate();
  const bots = useBots();
  const grants = useList(grantsPath, { query: { botId: bot, kind } });
  const subjectOf = useSubjects(grants.data);
  const nameOf = useGranters();
  const meaning = ({ kind: of, value, botId }: Grant) =>
    meaningOf(of, of === 'thread' ? subjectOf(value) : value, bots.nameOf(botId));
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }) });
  return (
    <Page
      title="Senders"
      about="Who may write to the bots by mail, and who has allowed it."
      answers={[grants]}
    >
      <InboxSections />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <Choose
          label="Bot"
          value={bot}
          options={[['', 'all'], ...bots.options]}
          onChoose={(value) => choose({ bot: value })}
        />
        <Choose
          label="What is let in"
          value={kind}
          options={[['', 'everything'], ...grantKinds.map((one) => [one, kindWords[one]] as const)]}
          onChoose={(value) => choose({ kind: value })}
        />
      </div>
      <Table
        label="Senders"
        list={grants}
        keyOf={({ grantId }) => grantId}
        empty={
          bot || kind ? (
            <Empty title="Nothing fits." />
          ) : (
            <Empty title="Nobody is let in yet.">
              Let somebody in below or from a held mail. People also let themselves in, by the link that they
              get.
            </Empty>
          )
        }
        columns={[
          { title: 'What it allows', of: meaning },
          { title: 'Allowed by', of: ({ grantedBy }) => nameOf(grantedBy) },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Remove',
            of: (grant) => (
              <ActButton
                look="bad"
                ask={`Take this back? “${meaning(grant)}” Their mails are held from now on, unless another one lets them in.`}
                action={{
                  what: 'Take the permission back',
                  method: 'delete',
                  path: `${grantsPath}/{grantId}`,
                  names: { grantId: grant.grantId },
                }}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <Add bots={bots.options} />
    </Page>
  );
}

/** Subjects of threads. They are only asked for where a thread is let in. */
function useSubjects(grants: readonly Grant[] = []): (threadId: string) => string {
  const threads = useList('/api/email-threads', {
    query: { limit: 500 },
    enabled: grants.some(({ kind }) => kind === 'thread'),
  });
  const subjects = new Map(threads.data?.map(({ threadId, subject }) => [threadId, `“${subject}”`]));
  return (threadId) => subjects.get(threadId) ?? threadId;
}

/** Display names for those who have allowed something. */
function useGranters(): (grantedBy: string) => string {
  const { names } = useMembers();
  return (grantedBy) => {
    const [kind, id = ''] = grantedBy.split(':');
    if (kind === 'erased') return 'a person who was erased';
    if (kind === 'user') return names.get(id) ?? 'an admin who is not a member';
    return `the link to ${grantedBy}`;
  };
}

const valueHints = {
  sender: 'Such as ann@example.com',
  group: 'Such as example.com, and none where everybody gets an address',
} as const;
type AddedKind = keyof typeof valueHints;

function Add({ bots }: { bots: readonly (readonly [string, string])[] }) {
  const add = useAction<Schema<'CreatedSenderGrant'>>();
  const [kind, choose] = useState<AddedKind>('sender');
  if (bots.length === 0) return null;
  const send = ({ botId = '', value = '' }: Record<string, string>) => {
    const botName = bots.find(([id]) => id === botId)?.[1] ?? '';
    const meaning = meaningOf(kind, value, botName);
    if (window.confirm(`${meaning} What waits of them is answered at once. Allow it?`))
      add.mutate({ what: 'Let them write', method: 'post', path: grantsPath, body: { botId, kind, value } });
  };
  return (
    <Panel title="Let somebody in">
      {add.error && <Fault error={add.error} />}
      <Form onSend={send}>
        <Field label="Writes to" name="botId" options={bots} />
        <Choose
          label="Who"
          value={kind}
          options={[
            ['sender', 'one address'],
            ['group', 'everybody of a domain'],
          ]}
          onChoose={(value) => choose(value === 'group' ? 'group' : 'sender')}
        />
        <Field
          label={kind === 'sender' ? 'E-mail address' : 'Domain'}
          name="value"
          isRequired
          hint={valueHints[kind]}
        />
        <SubmitRow button="Let them write" disabled={add.isPending} />
      </Form>
    </Panel>
  );
}
