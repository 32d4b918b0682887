import type { Schema } from '@botyard/client/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { postAction, useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Button, Panel } from '../../parts/controls.tsx';
import { Time } from '../../parts/text.tsx';

const path = '/api/auth/invitations';

/** The signed-in user's invitations. Renders nothing if there are none, unless a link names one. */
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
            It was accepted or revoked, has expired, or was sent to another address than the one you are
            signed in with.
          </p>
        </Panel>
      )}
    </>
  );
}

const joining = {
  admin: 'You will join as an admin.',
  member: 'You will join as a member.',
  responder: 'You will answer chats in the inbox of its bots.',
} as const;

function OwnInvitation({ invitation }: { invitation: Schema<'OwnInvitation'> }) {
  const { invitationId, tenantId, tenantName, role, expiresAt } = invitation;
  const navigate = useNavigate();
  const answer = useAction();
  const send = async (verb: 'accept' | 'decline', what: string) => {
    // The invitation disappears once it is answered, so the address must no longer name it.
    await navigate({ to: '.', search: (now) => ({ ...now, invitation: undefined }), replace: true });
    await answer.mutateAsync(postAction(what, `${path}/{invitationId}/${verb}`, { names: { invitationId } }));
    if (verb === 'accept') await navigate({ to: '/', search: (now) => ({ ...now, tenant: tenantId }) });
  };
  // The toast shows failures.
  const click = (...asked: Parameters<typeof send>) => void send(...asked).catch(() => undefined);
  return (
    <Panel title={`You're invited to ${tenantName}`}>
      <p className="mb-3">
        {joining[role]} The invitation expires <Time at={expiresAt} />.
      </p>
      <div className="flex gap-2">
        <Button
          look="main"
          disabled={answer.isPending}
          onClick={() => click('accept', 'Invitation accepted')}
        >
          Accept
        </Button>
        <Button disabled={answer.isPending} onClick={() => click('decline', 'Invitation declined')}>
          Decline
        </Button>
      </div>
    </Panel>
  );
}
