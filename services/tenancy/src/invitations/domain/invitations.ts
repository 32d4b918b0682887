import { type CreateInvitationBody, maxPendingInvitations } from '@botyard/contracts/http/invitations';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { withLockedTenant } from '../../people/domain/members.ts';
import type { Deps } from '../deps.ts';
import {
  askForMail,
  countPendingInvitations,
  endInvitation,
  getInvitation,
  hasMemberWithAddress,
  type InvitationKey,
  type InvitationRow,
  insertInvitation,
} from '../store/invitations.ts';
import { haveBots } from '../store/responders.ts';
import { sendDueMail } from './send-mail.ts';

/**
 * Invites an address, and tries to send the mail immediately. Recorded in the audit log.
 * @throws HttpError 404 for an unknown bot, 409 with `already_exists` or `limit_reached`.
 */
export async function createInvitation(
  deps: Deps,
  { tenantId, caller }: { tenantId: string; caller: Caller },
  { email, role, botIds, language = 'en' }: CreateInvitationBody,
): Promise<InvitationRow> {
  const about = { tenantId, email, isForOperator: caller.isOperator };
  if (await withPlatform(deps.database, 'member with an address', (tx) => hasMemberWithAddress(tx, about)))
    throw conflict('a member of the tenant has this address');
  const key = { tenantId, invitationId: uuidv7() };
  await withLockedTenant(deps, tenantId, async (tx) => {
    if ((await countPendingInvitations(tx, tenantId)) >= maxPendingInvitations) throw tooMany();
    if (!(await haveBots(tx, tenantId, botIds))) throw notFound('bot');
    const mail = { mailId: uuidv7(), language };
    await insertInvitation(tx, { ...key, ...mail, email, role, botIds, invitedBy: caller.userId });
  });
  deps.log.info({ audit: 'invitation created', subject: key.invitationId, tenantId, role }, 'audit');
  await sendDueMail(deps, key);
  return await read(deps, key);
}

const tooMany = () =>
  conflict(
    `this tenant may have at most ${maxPendingInvitations} pending invitations: revoke one that is not needed`,
  );

/** Recorded in the audit log. Revoking twice has no further effect. @throws HttpError 404, 409. */
export async function revokeInvitation(deps: Deps, key: InvitationKey): Promise<void> {
  await withLockedTenant(deps, key.tenantId, async (tx) => {
    const before = found(await getInvitation(tx, key), 'invitation');
    if (before.state === 'revoked') return;
    if (!(await endInvitation(tx, key, { state: 'revoked' }))) throw ended(before);
  });
  deps.log.info({ audit: 'invitation revoked', subject: key.invitationId, tenantId: key.tenantId }, 'audit');
}

/** Sends the mail again. @throws HttpError 404, 409 when the invitation has ended, or within a minute. */
export async function resendInvitation(deps: Deps, key: InvitationKey): Promise<InvitationRow> {
  await withLockedTenant(deps, key.tenantId, async (tx) => {
    const before = found(await getInvitation(tx, key), 'invitation');
    if (before.state !== 'pending') throw ended(before);
    if (!(await askForMail(tx, key, uuidv7())))
      throw conflict('this mail was requested within the last minute: try again later');
  });
  await sendDueMail(deps, key);
  return await read(deps, key);
}

/** @throws HttpError 404 when it was erased meanwhile. */
const read = async ({ database }: Pick<Deps, 'database'>, key: InvitationKey): Promise<InvitationRow> =>
  found(await withTenant(database, [key.tenantId], (tx) => getInvitation(tx, key)), 'invitation');

const ended = ({ state }: Pick<InvitationRow, 'state'>) => conflict(`the invitation is ${state}`);
