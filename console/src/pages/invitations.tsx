import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { SearchChoice, SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { namesIn, PartPicker } from './part-picker.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/bots/tenants/{tenantId}/invitations';

const states = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;
const mailWords = {
  queued: 'queued',
  sent: 'sent',
  uncertain: 'uncertain',
  not_sent: 'not sent',
} as const;

const newInvitation = { name: 'invitation', title: 'Invite a person' };

/** Invitations to the tenant by email. */
export function Invitations() {
  const { tenantId } = useActing();
  const { q, status } = useSearch({ strict: false });
  const names = { tenantId: tenantId ?? '' };
  const state = states.find((one) => one === status);
  const invitations = useList(path, { path: names, query: { q, state }, enabled: tenantId !== null });
  return (
    <Page
      title="Invitations"
      about="People join when they sign in with the invited address and accept."
      answers={[invitations]}
      actions={<CreateButton creation={newInvitation} />}
    >
      <PeopleSections />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <SearchForm hint="Searches email addresses." />
        <SearchChoice
          label="State"
          name="status"
          value={state}
          options={[['', 'All'], ...states.map((one) => [one, one] as const)]}
        />
      </div>
      <Table
        label="Invitations"
        list={invitations}
        keyOf={({ invitationId }) => invitationId}
        empty={
          q || state ? (
            <Empty title="No matching invitations.">Try another search or state.</Empty>
          ) : (
            <Empty title="No invitations yet." action={<CreateButton creation={newInvitation} />}>
              Invited people get an email with a link.
            </Empty>
          )
        }
        columns={[
          { title: 'Address', of: ({ email }) => email },
          { title: 'Role', of: ({ role, botIds }) => <InvitedAs role={role} botIds={botIds} /> },
          { title: 'State', of: (invitation) => <State word={invitation.state} /> },
          { title: 'Email', of: (invitation) => <Mail invitation={invitation} /> },
          { title: 'Invited', of: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Expires', of: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: 'Actions', of: (invitation) => <Change invitation={invitation} names={names} /> },
        ]}
      />
      <CreateDialog creation={newInvitation}>
        {(onCreated) => <Invite names={names} onCreated={onCreated} />}
      </CreateDialog>
    </Page>
  );
}

function InvitedAs({ role, botIds }: Pick<Schema<'Invitation'>, 'role' | 'botIds'>) {
  const { nameOf } = useBots();
  return (
    <div className="grid justify-items-start gap-1">
      <State word={role} />
      {botIds.length > 0 && <span className="text-sm text-soft">{botIds.map(nameOf).join(', ')}</span>}
    </div>
  );
}

const roles = [
  ['member', 'Member: reads everything'],
  ['admin', 'Admin: changes everything'],
  ['responder', 'Responder: answers chats of chosen bots, and sees nothing else'],
] as const;

function Mail({ invitation: { mail, mailProblem, state, link } }: { invitation: Schema<'Invitation'> }) {
  return (
    <div className="grid justify-items-start gap-1">
      <State word={mailWords[mail]} />
      {state === 'pending' && mail !== 'sent' && (
        <>
          {mailProblem && <span className="text-sm text-soft">{mailProblem}</span>}
          <code className="text-xs break-all">{link}</code>
        </>
      )}
    </div>
  );
}

function Change({
  invitation: { state, invitationId },
  names,
}: {
  invitation: Schema<'Invitation'>;
  names: Record<string, string>;
}) {
  if (state !== 'pending') return null;
  const one = `${path}/{invitationId}` as const;
  const ownNames = { ...names, invitationId };
  return (
    <div className="flex flex-wrap gap-2">
      <ActButton action={postAction('Invitation resent', `${one}/resend`, { names: ownNames })}>
        Resend
      </ActButton>
      <ActButton
        look="bad"
        ask="Revoke this invitation? Its link stops working."
        action={deleteAction('Invitation revoked', one, ownNames)}
      >
        Revoke
      </ActButton>
    </div>
  );
}

function Invite({ names, onCreated }: { names: Record<string, string>; onCreated: OnCreated }) {
  const bots = useBots();
  const [role, setRole] = useState<string>(roles[0][0]);
  const actionOf = ({ email, role, language, ...fields }: Record<string, string>) =>
    postAction('Invitation created', path, {
      names,
      body: { email, role, botIds: namesIn(fields, 'bot'), ...(language ? { language } : {}) },
    });
  return (
    <CreateForm
      button="Invite"
      action={actionOf}
      onDone={({ invitationId }: Schema<'Invitation'>) => onCreated(invitationId)}
      onEdit={(fields) => setRole(fields.role ?? '')}
    >
      <Field
        label="Email address"
        name="email"
        isRequired
        hint="Only the person with this address can accept."
      />
      <Field label="Role" name="role" options={roles} />
      {role === 'responder' && (
        <PartPicker
          title="Bots to answer"
          what="bot"
          field={['botIds']}
          most={50}
          none="Choose at least one bot."
          chosen={[]}
          parts={{
            ...bots,
            data: bots.data?.map(({ botId, name }) => ({ id: botId, name, description: '' })),
          }}
        />
      )}
      <Field label="Email language" name="language" hint="For example de or pt-BR. Defaults to English." />
    </CreateForm>
  );
}
