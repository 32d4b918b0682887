import type { sendInvitation } from '@botyard/contracts/events/webhook-requests';
import { mayHaveBeenHeard } from '@botyard/shared/bus/requests';
import { type PlatformTx, type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';

export type MailDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'publicBaseUrl'>;
type Answer = z.output<typeof sendInvitation.response>;

/** The result of an attempt. */
export interface MailAttempt {
  outcome: Answer['outcome'];
  /** Why it wasn't sent. */
  problem: string | null;
  /** Whether it may have reached the mailer. */
  isMade: boolean;
  /** `null` means that there is no further attempt. */
  retryInSeconds: number | null;
}

interface Claimed {
  tenantId: string;
  mailId: string;
  /** Its attempts, this one included. */
  tries: number;
}

/** Mails of the installation: where they are stored, and how they are sent. */
export interface InstallationMails<Mail extends Claimed> {
  /** As in "mails of invitations". */
  topic: string;
  /** A condition in SQL: whether a mail waits. */
  isDue: string;
  /** Claims the mail that waits longest for one attempt, which counts as made until `settle`. */
  claim: (tx: PlatformTx, leaseSeconds: number) => Promise<Mail | undefined>;
  send: (deps: MailDeps, mail: Mail) => Promise<Answer>;
  /** Records an attempt, unless another process has claimed the mail since. */
  settle: (tx: TenantTx, mail: Mail, attempt: MailAttempt) => Promise<void>;
  prune: (tx: PlatformTx, days: number) => Promise<void>;
}

/** Longer than an attempt takes. */
const leaseSeconds = 60;
const maxRetrySeconds = 900;
const keptDays = 90;
const batchSize = 20;

/** Sends due mails within a second, including delayed ones, and those of processes that died; deletes old ones. */
export function createMailWorkers<Mail extends Claimed>(
  deps: MailDeps & Pick<Deps, 'due'>,
  mails: InstallationMails<Mail>,
): Worker[] {
  const { topic: name, isDue } = mails;
  const { log } = deps;
  const sender = createPeriodic({
    name,
    everyMs: 60_000,
    log,
    work: async (isStopped) => {
      for (let count = 0; count < batchSize && !isStopped(); count++)
        if (!(await sendNextMail(deps, mails, mails.claim))) return;
    },
  });
  deps.due.add({ name, isDue, wake: sender.wake });
  const work = () => deleteOldMails(deps, mails);
  return [sender, createPeriodic({ name: `old ${name}`, everyMs: 3_600_000, log, work })];
}

/** Claims a mail, sends it and records the result. Returns whether there was one. */
export async function sendNextMail<Mail extends Claimed>(
  deps: MailDeps,
  mails: InstallationMails<Mail>,
  claim: InstallationMails<Mail>['claim'],
): Promise<boolean> {
  const mail = await withPlatform(deps.database, mails.topic, (tx) => claim(tx, leaseSeconds));
  if (!mail) return false;
  await failpoint('tenancy.mails.claimed');
  const attempt = await tryToSend(deps, mails, mail);
  await failpoint('tenancy.mails.sent');
  await withTenant(deps.database, [mail.tenantId], (tx) => mails.settle(tx, mail, attempt));
  return true;
}

async function tryToSend<Mail extends Claimed>(
  deps: MailDeps,
  { topic, send }: InstallationMails<Mail>,
  mail: Mail,
): Promise<MailAttempt> {
  const pauseSeconds = Math.min(maxRetrySeconds, 10 * 2 ** Math.min(mail.tries, 10));
  try {
    const { outcome, reason: problem, retryInSeconds } = await send(deps, mail);
    const isMade = outcome === 'sent' || outcome === 'uncertain';
    const isOver = outcome === 'sent' || outcome === 'refused';
    if (outcome === 'refused') deps.log.info({ mailId: mail.mailId, topic, problem }, 'a mail is not sent');
    return { outcome, problem, isMade, retryInSeconds: isOver ? null : (retryInSeconds ?? pauseSeconds) };
  } catch (error) {
    deps.log.warn({ err: error, mailId: mail.mailId, topic }, 'could not send a mail');
    return {
      outcome: 'waits',
      problem: 'the service that sends mail does not answer',
      isMade: mayHaveBeenHeard(error),
      retryInSeconds: pauseSeconds,
    };
  }
}

export const deleteOldMails = <Mail extends Claimed>(
  { database }: Pick<Deps, 'database'>,
  { topic, prune }: InstallationMails<Mail>,
): Promise<void> => withPlatform(database, `old ${topic}`, (tx) => prune(tx, keptDays));
