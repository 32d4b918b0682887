import type { Schema } from '@botyard/client/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Panel } from '../parts/controls.tsx';
import { Time } from '../parts/text.tsx';

const path = '/api/auth/invitations';

/** What the person who has signed in is invited to. Nothing, where there is nothing and no link has named one. */
export function OwnInvitations() {
  const { invitation: named } = useSearch({ strict: false });
  const invitations = useList(path);
  if (!invitations.data) return null;
  const isMissing =
    named !== undefined && invitations.data.every(({ invitationId }) => invitationId !== named);
  return (
    <>
      {invitations.data.map((invitation) => (
        <OwnInvitation key={invitation.invitationId} invitation={invitation} />
      ))}
      {isMissing && (
        <Panel title="This invitation can't be accepted here">
          <p>
            It was accepted or revoked, has expired, or is for another address than the one that you are
            signed in with.
          </p>
        </Panel>
      )}
    </>
  );
}

function OwnInvitation({ invitation }: { invitation: Schema<'OwnInvitation'> }) {
  const { invitationId, tenantId, tenantName, role, expiresAt } = invitation;
  const navigate = useNavigate();
  const names = { invitationId };
  const enter = () =>
    void navigate({ to: '/', search: (now) => ({ ...now, tenant: tenantId, invitation: undefined }) });
  const leave = () => void navigate({ to: '.', search: (now) => ({ ...now, invitation: undefined }) });
  return (
    <Panel title={`You're invited to ${tenantName}`}>
      <p className="mb-3">
        As {role === 'admin' ? 'an admin' : 'a member'}. The invitation ends <Time at={expiresAt} />.
      </p>
      <div className="flex gap-2">
        <ActButton
          look="main"
          action={{
            what: 'Accept the invitation',
            method: 'post',
            path: `${path}/{invitationId}/accept`,
            names,
          }}
          onDone={enter}
        >
          Accept
        </ActButton>
        <ActButton
          action={{
            what: 'Decline the invitation',
            method: 'post',
            path: `${path}/{invitationId}/decline`,
            names,
          }}
          onDone={leave}
        >
          Decline
        </ActButton>
      </div>
    </Panel>
  );
}
