import { invitationDays, type ListInvitationsQuery } from '@botyard/contracts/http/invitations';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, getTableColumns, ilike, lt, sql } from '@botyard/shared/db/drizzle';
import { count } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { translated } from '@botyard/shared/db/rows';
import { byText, containing, sorted } from '@botyard/shared/db/sorting';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { invitations } from '../../store/invitations-schema.ts';
import { tenants } from '../../store/schema.ts';

export interface InvitationKey {
  tenantId: string;
  invitationId: string;
}

export type InvitationRow = typeof invitations.$inferSelect;

const matches = (key: InvitationKey) =>
  and(eq(invitations.tenantId, key.tenantId), eq(invitations.invitationId, key.invitationId));

/** The current state: a pending invitation past its time has expired. */
const state = sql<InvitationRow['state']>`case when ${invitations.state} = 'pending'
  and ${invitations.expiresAt} <= now() then 'expired' else ${invitations.state} end`;
const selected = { ...getTableColumns(invitations), state };
const isPending = sql`${invitations.state} = 'pending' and ${invitations.expiresAt} > now()`;

/** One more than the page's limit. */
export async function listInvitations(
  tx: TenantTx,
  tenantId: string,
  query: ListInvitationsQuery,
): Promise<InvitationRow[]> {
  const { invitationId, email } = invitations;
  const { after, order } = sorted(query, { createdAt: null, email: byText(email) }, invitationId);
  return await tx.db
    .select(selected)
    .from(invitations)
    .where(
      and(
        eq(invitations.tenantId, tenantId),
        query.q === undefined ? undefined : ilike(email, containing(query.q)),
        query.state === undefined ? undefined : eq(state, query.state),
        after,
      ),
    )
    .orderBy(...order)
    .limit(query.limit + 1);
}

export async function getInvitation(tx: TenantTx, key: InvitationKey): Promise<InvitationRow | undefined> {
  const [row] = await tx.db.select(selected).from(invitations).where(matches(key));
  return row;
}

/**
 * Ends expired invitations, so that their addresses can be invited again, and counts those that can still be accepted.
 * The caller has locked the tenant.
 */
export const countPendingInvitations = preparedStatement({
  name: 'tenancy.invitations.count_pending',
  text: typedSql`with over as (
           update tenancy.invitations set state = 'expired', mail_due_at = null
           where tenant_id = $1 and state = 'pending' and expires_at <= now())
         select ${columns({ count: count() })} from tenancy.invitations
         where tenant_id = $1 and state = 'pending' and expires_at > now()`,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!.count,
});

type NewInvitation = Pick<
  InvitationRow,
  'tenantId' | 'invitationId' | 'email' | 'role' | 'botIds' | 'language' | 'invitedBy' | 'mailId'
>;

/** Its mail is due immediately. @throws HttpError 409 when an invitation for this address is pending. */
export async function insertInvitation(tx: TenantTx, invitation: NewInvitation): Promise<void> {
  const times = {
    expiresAt: sql`now() + make_interval(days => ${invitationDays})`,
    mailDueAt: sql`now()`,
  };
  await translated(tx.db.insert(invitations).values({ ...invitation, ...times }), {
    invitations_one_pending: (cause) => conflict('this address has already been invited', { cause }),
  });
}

/** Ends a pending invitation and its mail. Returns whether it was pending. */
export async function endInvitation(
  tx: TenantTx,
  key: InvitationKey,
  end: { state: 'accepted' | 'declined' | 'revoked'; acceptedBy?: string },
): Promise<boolean> {
  const rows = await tx.db
    .update(invitations)
    .set({ ...end, endedAt: sql`now()`, mailDueAt: null })
    .where(and(matches(key), isPending))
    .returning({ invitationId: invitations.invitationId });
  return rows.length > 0;
}

/**
 * Requests the mail of a pending invitation again. Returns false unless it is pending and its last request is at least
 * a minute old.
 */
export async function askForMail(tx: TenantTx, key: InvitationKey, mailId: string): Promise<boolean> {
  const rows = await tx.db
    .update(invitations)
    .set({
      mail: 'queued',
      mailId,
      mailAskedAt: sql`now()`,
      mailDueAt: sql`now()`,
      mailTries: 0,
      mailSends: 0,
      mailProblem: null,
    })
    .where(and(matches(key), isPending, sql`${invitations.mailAskedAt} <= now() - interval '1 minute'`))
    .returning({ invitationId: invitations.invitationId });
  return rows.length > 0;
}

/** Whether a member of the tenant has the address, considering only addresses that the asking admin may see. */
export async function hasMemberWithAddress(
  tx: PlatformTx,
  { tenantId, email, isForOperator }: { tenantId: string; email: string; isForOperator: boolean },
): Promise<boolean> {
  return await tx.has({
    name: 'tenancy.invitations.member',
    text: `select from tenancy.memberships m join tenancy.users u on u.user_id = m.user_id
           where m.tenant_id = $1 and u.deleted_at is null and lower(u.email) = $2 and ($3 or m.visited_at is not null)
           limit 1`,
    values: [tenantId, email, isForOperator],
  });
}

const own = {
  tenantId: invitations.tenantId,
  invitationId: invitations.invitationId,
  tenantName: tenants.name,
  ...pick(invitations, 'role', 'createdAt', 'expiresAt'),
};

/** The invitations that an address can accept, newest first; one more than the page's limit. */
export async function listInvitationsTo(tx: PlatformTx, email: string, { limit, before }: PageRequest) {
  return await tx.db
    .select(own)
    .from(invitations)
    .innerJoin(tenants, eq(tenants.tenantId, invitations.tenantId))
    .where(
      and(eq(invitations.email, email), isPending, before ? lt(invitations.invitationId, before) : undefined),
    )
    .orderBy(sql`${invitations.invitationId} desc`)
    .limit(limit + 1);
}

/** An invitation as its addressee sees it. */
export type OwnInvitationRow = Awaited<ReturnType<typeof listInvitationsTo>>[number];

/** Any person's invitation, in any state. */
export async function findInvitation(
  tx: PlatformTx,
  invitationId: string,
): Promise<(OwnInvitationRow & Pick<InvitationRow, 'email'>) | undefined> {
  const [row] = await tx.db
    .select({ ...own, email: invitations.email })
    .from(invitations)
    .innerJoin(tenants, eq(tenants.tenantId, invitations.tenantId))
    .where(eq(invitations.invitationId, invitationId));
  return row;
}

/** Takes people who were deleted out of all invitations: those to them go, and those that they sent forget who did. */
export async function eraseFromInvitations(
  tx: PlatformTx,
  { idpUserIds, emails }: { idpUserIds: readonly string[]; emails: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'tenancy.invitations.delete_of_people',
    text: `delete from tenancy.invitations i where i.email = any ($2)
             or i.accepted_by in (select user_id from tenancy.users where idp_user_id = any ($1))`,
    values: [idpUserIds, emails],
  });
  await tx.query({
    name: 'tenancy.invitations.forget_inviters',
    text: `update tenancy.invitations i set invited_by = null
           from tenancy.users u where u.idp_user_id = any ($1) and i.invited_by = u.user_id`,
    values: [idpUserIds],
  });
}
