import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { invitations } from '../../store/invitations-schema.ts';
import { tenants } from '../../store/schema.ts';
import type { InvitationRow } from './invitations.ts';

/** Limit on attempts that may have reached the mailer. */
const maxSends = 2;

const isAcceptable = "state = 'pending' and expires_at > now()";

/** Whether a mail is waiting to be sent, or to be given up. */
export const isMailDue = `exists (select from tenancy.invitations
  where mail_due_at <= now() and (mail_sends >= ${maxSends} or ${isAcceptable}))`;

const i = alias(invitations, 'i');
const claimedMail = columns({
  ...pick(i, 'tenantId', 'invitationId', 'mailId', 'email', 'language'),
  tenantName: alias(tenants, 't').name,
  tries: i.mailTries,
});
/** An invitation mail that is about to be sent. */
export type ClaimedMail = RowOf<typeof claimedMail>;

/**
 * Claims the mail that waits longest, or that of an invitation, for one attempt. It counts as made until it is known
 * that it wasn't: the attempt of a process that died is repeated once, and never a third time.
 */
export async function claimMail(
  tx: PlatformTx,
  { invitationId, leaseSeconds }: { invitationId: string | null; leaseSeconds: number },
): Promise<ClaimedMail | undefined> {
  return await tx.first({
    name: 'tenancy.invitations.claim_mail',
    text: typedSql`with due as (
             select tenant_id, invitation_id from tenancy.invitations
             where mail_due_at <= now() and mail_sends < ${maxSends} and ${isAcceptable}
               and invitation_id = coalesce($invitationId, invitation_id)
             order by mail_due_at limit 1 for update skip locked)
           update tenancy.invitations i set mail_tries = mail_tries + 1, mail_sends = mail_sends + 1,
             mail_due_at = now() + make_interval(secs => $leaseSeconds)
           from due join tenancy.tenants t on t.tenant_id = due.tenant_id
           where i.tenant_id = due.tenant_id and i.invitation_id = due.invitation_id
           returning ${claimedMail}`,
    values: { invitationId, leaseSeconds },
  });
}

interface Attempt {
  mail: InvitationRow['mail'];
  problem: string | null;
  /** Whether it may have reached the mailer. */
  isMade: boolean;
  /** `null` means that there is no further attempt. */
  retryInSeconds: number | null;
}

/**
 * Records an attempt's result, unless the mail was requested again or claimed by another process since. After a day it
 * is given up.
 */
export const settleMail = preparedStatement({
  name: 'tenancy.invitations.settle_mail',
  text: `update tenancy.invitations i set
           mail = case when goes_on or $mail <> 'queued' then $mail else 'not_sent' end,
           mail_problem = $problem, mail_sends = mail_sends - case when $isMade then 0 else 1 end,
           mailed_at = case when $mail = 'sent' then now() else mailed_at end,
           mail_due_at = case when goes_on then now() + make_interval(secs => $retryInSeconds) end
         from (select $retryInSeconds::float8 is not null and mail_asked_at > now() - interval '1 day' as goes_on
               from tenancy.invitations where tenant_id = $tenantId and invitation_id = $invitationId) as age
         where tenant_id = $tenantId and invitation_id = $invitationId and mail_id = $mailId and mail_tries = $tries and state = 'pending'`,
  values: (
    { tenantId, invitationId, mailId, tries }: ClaimedMail,
    { mail, problem, isMade, retryInSeconds }: Attempt,
  ) => ({ tenantId, invitationId, mailId, tries, mail, problem, isMade, retryInSeconds }),
});

/** Gives up mails of processes that died in their second attempt: the result is unknown. */
export async function giveUpLostMails(tx: PlatformTx): Promise<void> {
  await tx.query({
    name: 'tenancy.invitations.give_up_mails',
    text: `update tenancy.invitations set mail = 'uncertain', mail_due_at = null
           where mail_due_at <= now() and mail_sends >= $1`,
    values: [maxSends],
  });
}

/** Deletes invitations that ended this many days ago. */
export async function pruneInvitations(tx: PlatformTx, days: number): Promise<void> {
  await tx.query({
    name: 'tenancy.invitations.prune',
    text: `delete from tenancy.invitations
           where coalesce(ended_at, expires_at) < now() - make_interval(days => $1)`,
    values: [days],
  });
}
