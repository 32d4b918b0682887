import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { releaseMails } from '../../store/release-mails-schema.ts';

/** Limit on attempts that may have reached the mailer. */
const maxSends = 2;

const r = alias(releaseMails, 'r');

/** Due mails of a day, to people who are still admins. */
const dueMails = `tenancy.release_mails r
  join tenancy.memberships m on m.tenant_id = r.tenant_id and m.user_id = r.user_id and m.role = 'admin'
  join tenancy.users u on u.user_id = r.user_id and u.deleted_at is null and u.email is not null
  where r.due_at <= now() and r.sends < ${maxSends} and r.created_at > now() - interval '1 day'`;

export const isReleaseMailDue = `exists (select from ${dueMails})`;

type Withdrawal = Pick<
  typeof releaseMails.$inferSelect,
  'tenantId' | 'releaseId' | 'agentId' | 'agentName' | 'version' | 'reason'
>;

/** One mail for each admin who has visited the tenant. A release that has its mails gets no more. */
export async function insertReleaseMails(
  tx: TenantTx,
  { tenantId, releaseId, agentId, agentName, version, reason }: Withdrawal,
): Promise<void> {
  await tx.query({
    name: 'tenancy.release_mails.insert',
    text: `insert into tenancy.release_mails
             (tenant_id, release_id, user_id, mail_id, agent_id, agent_name, version, reason, due_at)
           select $tenantId, $releaseId, user_id, gen_random_uuid(), $agentId, $agentName, $version, $reason, now()
           from tenancy.memberships
           where tenant_id = $tenantId and role = 'admin' and visited_at is not null
             and not exists (select from tenancy.release_mails where tenant_id = $tenantId and release_id = $releaseId)
           on conflict do nothing returning 1`,
    values: { tenantId, releaseId, agentId, agentName, version, reason },
  });
}

const claimedMail = columns({
  ...pick(
    r,
    'tenantId',
    'releaseId',
    'userId',
    'mailId',
    'agentId',
    'agentName',
    'version',
    'reason',
    'tries',
  ),
  email: text('u.email'),
});
/** A mail that is about to be sent. */
export type ClaimedReleaseMail = RowOf<typeof claimedMail>;

/** Claims the mail that waits longest for one attempt. It counts as made until it is known that it wasn't. */
export async function claimReleaseMail(
  tx: PlatformTx,
  leaseSeconds: number,
): Promise<ClaimedReleaseMail | undefined> {
  return await tx.first({
    name: 'tenancy.release_mails.claim',
    text: typedSql`with due as (
             select r.tenant_id, r.release_id, r.user_id, u.email
             from ${dueMails} order by r.due_at limit 1 for update of r skip locked)
           update tenancy.release_mails r
           set tries = tries + 1, sends = sends + 1, due_at = now() + make_interval(secs => $1)
           from due u
           where r.tenant_id = u.tenant_id and r.release_id = u.release_id and r.user_id = u.user_id
           returning ${claimedMail}`,
    values: [leaseSeconds],
  });
}

/** Records an attempt, unless another process has claimed the mail since. */
export const settleReleaseMail = preparedStatement({
  name: 'tenancy.release_mails.settle',
  text: `update tenancy.release_mails
         set sends = sends - case when $isMade then 0 else 1 end,
           due_at = now() + make_interval(secs => $retryInSeconds::float8)
         where tenant_id = $tenantId and release_id = $releaseId and user_id = $userId and tries = $tries`,
  values: (
    { tenantId, releaseId, userId, tries }: ClaimedReleaseMail,
    { isMade, retryInSeconds }: { isMade: boolean; retryInSeconds: number | null },
  ) => ({ tenantId, releaseId, userId, tries, isMade, retryInSeconds }),
});

export async function pruneReleaseMails(tx: PlatformTx, days: number): Promise<void> {
  await tx.query({
    name: 'tenancy.release_mails.prune',
    text: 'delete from tenancy.release_mails where created_at < now() - make_interval(days => $1)',
    values: [days],
  });
}
