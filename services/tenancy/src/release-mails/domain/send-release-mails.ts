import { sendWithdrawalMail } from '@botyard/contracts/events/webhook-requests';
import { ask, mayHaveBeenHeard } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import {
  type ClaimedReleaseMail,
  claimReleaseMail,
  isReleaseMailDue,
  pruneReleaseMails,
  settleReleaseMail,
} from '../store/release-mails.ts';

type MailDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'publicBaseUrl'>;

/** Longer than an attempt takes. */
const leaseSeconds = 60;
const maxRetrySeconds = 900;
const keptDays = 90;
const batchSize = 20;

/** Sends due mails within a second, including delayed ones, and those of processes that died. */
export function createReleaseMails(deps: MailDeps & Pick<Deps, 'due'>): Worker {
  const mails = createPeriodic({
    name: 'mails of releases',
    everyMs: 60_000,
    log: deps.log,
    work: (isStopped) => sendDueMails(deps, isStopped),
  });
  deps.due.add({ name: 'mails of releases', isDue: isReleaseMailDue, wake: mails.wake });
  return mails;
}

/** Deletes the rows of old mails. */
export const createReleaseMailHousekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Worker =>
  createPeriodic({
    name: 'old mails of releases',
    everyMs: 3_600_000,
    log,
    work: () => withPlatform(database, 'old mails of releases', (tx) => pruneReleaseMails(tx, keptDays)),
  });

async function sendDueMails(deps: MailDeps, isStopped: () => boolean): Promise<void> {
  for (let count = 0; count < batchSize && !isStopped(); count++) {
    const mail = await withPlatform(deps.database, 'mails of releases', (tx) =>
      claimReleaseMail(tx, leaseSeconds),
    );
    if (!mail) return;
    await failpoint('tenancy.release-mails.claimed');
    const attempt = await tryToSend(deps, mail);
    await failpoint('tenancy.release-mails.sent');
    await withTenant(deps.database, [mail.tenantId], (tx) => settleReleaseMail(tx, mail, attempt));
  }
}

async function tryToSend(
  deps: MailDeps,
  { tenantId, releaseId, mailId, email, agentId, agentName, version, reason, tries }: ClaimedReleaseMail,
): Promise<{ isMade: boolean; retryInSeconds: number | null }> {
  const pauseSeconds = Math.min(maxRetrySeconds, 10 * 2 ** Math.min(tries, 10));
  if (email === null) return { isMade: false, retryInSeconds: null };
  const link = `${deps.publicBaseUrl}/agents/${agentId}`;
  try {
    const mail = { tenantId, mailId, email, agentName, version, reason, link };
    const answer = await ask(deps.bus, sendWithdrawalMail, mail);
    if (answer.outcome === 'sent') return { isMade: true, retryInSeconds: null };
    if (answer.outcome === 'refused') {
      deps.log.info({ releaseId, reason: answer.reason }, 'the mail about a withdrawn release is not sent');
      return { isMade: false, retryInSeconds: null };
    }
    return {
      isMade: answer.outcome === 'uncertain',
      retryInSeconds: answer.retryInSeconds ?? pauseSeconds,
    };
  } catch (error) {
    deps.log.warn({ err: error, releaseId }, 'could not send the mail about a withdrawn release');
    return { isMade: mayHaveBeenHeard(error), retryInSeconds: pauseSeconds };
  }
}
