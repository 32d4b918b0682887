import { sendInvitation } from '@botyard/contracts/events/webhook-requests';
import { ask, mayHaveBeenHeard } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import type { InvitationKey } from '../store/invitations.ts';
import {
  type ClaimedMail,
  claimMail,
  giveUpLostMails,
  isMailDue,
  listDueMails,
  type MailOutcome,
  pruneInvitations,
  settleMail,
} from '../store/mails.ts';

type MailDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'publicBaseUrl'>;

/** Longer than an attempt takes. */
const leaseSeconds = 60;
const maxRetrySeconds = 900;
const keptDays = 90;
const batchSize = 20;

/** The link in the mail. It opens the console, which shows the invitation to its addressee. */
export const linkOf = ({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>, invitationId: string): string =>
  `${publicBaseUrl}/?invitation=${invitationId}`;

/** Sends the mail of an invitation if it is due, and records the result. It never throws: failures are retried. */
export async function sendDueMail(deps: MailDeps, key: InvitationKey): Promise<void> {
  try {
    const claimed = await withTenant(deps.database, [key.tenantId], (tx) => claimMail(tx, key, leaseSeconds));
    if (!claimed) return;
    await failpoint('tenancy.invitations.claimed');
    const outcome = await tryToSend(deps, claimed);
    await failpoint('tenancy.invitations.sent');
    await withTenant(deps.database, [key.tenantId], (tx) => settleMail(tx, claimed, outcome));
  } catch (error) {
    const { invitationId } = key;
    deps.log.warn({ err: error, invitationId }, 'the mail of an invitation failed: it will be retried');
  }
}

async function tryToSend(deps: MailDeps, claimed: ClaimedMail): Promise<MailOutcome> {
  const { tenantId, invitationId, mailId, email, tenantName, language, tries } = claimed;
  const pauseSeconds = Math.min(maxRetrySeconds, 10 * 2 ** Math.min(tries, 10));
  const again = (problem: string | null, isMade: boolean, seconds = pauseSeconds): MailOutcome => ({
    mail: 'queued',
    problem,
    isMade,
    retryInSeconds: seconds,
  });
  try {
    const link = linkOf(deps, invitationId);
    const invitationMail = { tenantId, mailId, email, tenantName, language, link };
    const { outcome, reason, retryInSeconds } = await ask(deps.bus, sendInvitation, invitationMail);
    if (outcome === 'sent') return { mail: 'sent', problem: null, isMade: true, retryInSeconds: null };
    if (outcome === 'refused')
      return { mail: 'not_sent', problem: reason, isMade: false, retryInSeconds: null };
    return again(reason, outcome === 'uncertain', retryInSeconds ?? pauseSeconds);
  } catch (error) {
    deps.log.warn({ err: error, invitationId }, 'could not send the mail of an invitation');
    return again('the service that sends mail does not answer', mayHaveBeenHeard(error));
  }
}

/** Sends due mails within a second, including delayed ones, and those of processes that died. */
export function createInvitationMails(deps: MailDeps & Pick<Deps, 'due'>): Worker {
  const mails = createPeriodic({
    name: 'mails of invitations',
    everyMs: 60_000,
    log: deps.log,
    work: (isStopped) => sendDueMails(deps, isStopped),
  });
  deps.due.add({ name: 'mails of invitations', isDue: isMailDue, wake: mails.wake });
  return mails;
}

/** Deletes invitations that ended long ago. */
export const createInvitationHousekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Worker =>
  createPeriodic({
    name: 'old invitations',
    everyMs: 3_600_000,
    log,
    work: () => forgetOldInvitations({ database }),
  });

export const forgetOldInvitations = ({ database }: Pick<Deps, 'database'>): Promise<void> =>
  withPlatform(database, 'old invitations', (tx) => pruneInvitations(tx, keptDays));

async function sendDueMails(deps: MailDeps, isStopped: () => boolean = () => false): Promise<void> {
  const due = await withPlatform(deps.database, 'mails of invitations', async (tx) => {
    await giveUpLostMails(tx);
    return await listDueMails(tx, batchSize);
  });
  for (const key of due) if (!isStopped()) await sendDueMail(deps, key);
}
