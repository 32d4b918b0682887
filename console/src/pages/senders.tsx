import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Choose, Field } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { SearchChoice } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { InboxSections } from './inbox/inbox-sections.tsx';
import { grantKinds, grantsPath, meaningOf } from './sender-grants.ts';

type Grant = Schema<'SenderGrant'>;
const kindWords = { sender: 'Address', thread: 'Thread', group: 'Domain' } as const;

const newSender = { name: 'sender', title: 'Allow a sender' };

/** The senders that may email a bot, with the person who allowed each. */
export function Senders() {
  const { bot, kind: wanted } = useSearch({ strict: false });
  const kind = grantKinds.find((one) => one === wanted);
  const bots = useBots();
  const grants = useList(grantsPath, { query: { botId: bot, kind } });
  const subjectOf = useSubjects(grants.data);
  const nameOf = useGranters();
  const meaning = ({ kind: of, value, botId }: Grant) =>
    meaningOf(of, of === 'thread' ? subjectOf(value) : value, bots.nameOf(botId));
  return (
    <Page
      title="Senders"
      about="Addresses, threads and domains that are allowed to email your bots."
      answers={[grants]}
      actions={bots.options.length > 0 && <CreateButton creation={newSender} />}
    >
      <InboxSections />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <SearchChoice label="Bot" name="bot" options={[['', 'All'], ...bots.options]} />
        <SearchChoice
          label="Kind"
          name="kind"
          value={kind}
          options={[['', 'All'], ...grantKinds.map((one) => [one, kindWords[one]] as const)]}
        />
      </div>
      <Table
        label="Senders"
        list={grants}
        keyOf={({ grantId }) => grantId}
        empty={
          bot || kind ? (
            <Empty title="No matching senders.">Change the bot or the kind.</Empty>
          ) : (
            <Empty
              title="No allowed senders yet."
              action={bots.options.length > 0 && <CreateButton creation={newSender} />}
            >
              Allow one here or from a held email. Senders can also allow themselves with the link that they
              receive.
            </Empty>
          )
        }
        columns={[
          { title: 'Permission', of: meaning },
          { title: 'Allowed by', of: ({ grantedBy }) => nameOf(grantedBy) },
          { title: 'Created', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            of: (grant) => (
              <ActButton
                look="bad"
                ask={`Remove this permission? “${meaning(grant)}” Their emails are held from now on, unless another permission covers them.`}
                action={deleteAction('Permission removed', `${grantsPath}/{grantId}`, {
                  grantId: grant.grantId,
                })}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <CreateDialog creation={newSender}>
        {(onCreated) => <AllowSender bots={bots.options} onCreated={onCreated} />}
      </CreateDialog>
    </Page>
  );
}

/** The subjects of threads. They are fetched only if a thread is among the permissions. */
function useSubjects(grants: readonly Grant[] = []): (threadId: string) => string {
  const threads = useList('/api/email-threads', {
    query: { limit: 500 },
    enabled: grants.some(({ kind }) => kind === 'thread'),
  });
  const subjects = new Map(threads.data?.map(({ threadId, subject }) => [threadId, `“${subject}”`]));
  return (threadId) => subjects.get(threadId) ?? 'an older thread';
}

/** Display names of the people who granted permissions. */
function useGranters(): (grantedBy: string) => string {
  const { nameOf } = useMembers();
  return (grantedBy) => {
    const [kind, id = ''] = grantedBy.split(':');
    if (kind === 'erased') return 'erased person';
    if (kind === 'user') return nameOf(id, 'admin who is not a member');
    return `link sent to ${grantedBy}`;
  };
}

const valueHints = {
  sender: 'For example ann@example.com',
  group: 'For example example.com. Public email domains are not accepted.',
} as const;
type AddedKind = keyof typeof valueHints;

interface AllowSenderProps {
  bots: readonly (readonly [string, string])[];
  onCreated: OnCreated;
}

function AllowSender({ bots, onCreated }: AllowSenderProps) {
  const [kind, choose] = useState<AddedKind>('sender');
  const actionOf = ({ botId = '', value = '' }: Record<string, string>) => {
    const botName = bots.find(([id]) => id === botId)?.[1] ?? '';
    const meaning = meaningOf(kind, value, botName);
    const isConfirmed = window.confirm(`${meaning} Their held emails are answered immediately. Continue?`);
    return isConfirmed
      ? postAction('Sender allowed', grantsPath, { body: { botId, kind, value } })
      : undefined;
  };
  return (
    <CreateForm
      button="Allow"
      action={actionOf}
      onDone={({ grantId }: Schema<'CreatedSenderGrant'>) => onCreated(grantId)}
    >
      <Field label="Receiving bot" name="botId" options={bots} />
      <Choose
        label="Permission for"
        value={kind}
        options={[
          ['sender', 'One address'],
          ['group', 'Everyone at a domain'],
        ]}
        onChoose={(value) => choose(value === 'group' ? 'group' : 'sender')}
      />
      <Field
        label={kind === 'sender' ? 'Email address' : 'Domain'}
        name="value"
        isRequired
        hint={valueHints[kind]}
      />
    </CreateForm>
  );
}
