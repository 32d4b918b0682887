import { sendInvitation } from '@botyard/contracts/events/webhook-requests';
import { ask } from '@botyard/shared/bus/requests';
import {
  type InstallationMails,
  type MailDeps,
  sendNextMail,
} from '../../installation-mails/domain/send-mails.ts';
import type { Deps } from '../deps.ts';
import type { InvitationKey } from '../store/invitations.ts';
import {
  type ClaimedMail,
  claimMail,
  giveUpLostMails,
  isMailDue,
  pruneInvitations,
  settleMail,
} from '../store/mails.ts';

/** The link in the mail. It opens the console, which shows the invitation to its addressee. */
export const linkOf = ({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>, invitationId: string): string =>
  `${publicBaseUrl}/?invitation=${invitationId}`;

const mailOf = { sent: 'sent', refused: 'not_sent', waits: 'queued', uncertain: 'queued' } as const;

export const invitationMails: InstallationMails<ClaimedMail> = {
  topic: 'mails of invitations',
  isDue: isMailDue,
  claim: async (tx, leaseSeconds) => {
    await giveUpLostMails(tx);
    return await claimMail(tx, { leaseSeconds, invitationId: null });
  },
  send: (deps, { tenantId, invitationId, mailId, email, tenantName, language }) => {
    const link = linkOf(deps, invitationId);
    return ask(deps.bus, sendInvitation, { tenantId, mailId, email, tenantName, language, link });
  },
  settle: (tx, mail, { outcome, ...attempt }) => settleMail(tx, mail, { ...attempt, mail: mailOf[outcome] }),
  prune: pruneInvitations,
};

/** Sends the mail of an invitation now if it is due. It never throws: failures are retried. */
export async function sendDueMail(deps: MailDeps, { invitationId }: InvitationKey): Promise<void> {
  await sendNextMail(deps, invitationMails, (tx, leaseSeconds) =>
    claimMail(tx, { leaseSeconds, invitationId }),
  ).catch((error: unknown) =>
    deps.log.warn({ err: error, invitationId }, 'the mail of an invitation failed: it will be retried'),
  );
}
