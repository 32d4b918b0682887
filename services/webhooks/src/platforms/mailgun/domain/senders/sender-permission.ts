import type { TenantTx } from '@botyard/shared/db/database';
import { domainOf } from '@botyard/shared/mail/domains';
import { type GrantRow, listGrantedKinds, lockSenderOf } from '../../store/grants.ts';

interface Sender {
  tenantId: string;
  botId: string;
  /** In lower case. */
  sender: string;
}

/**
 * Locks a sender's permission to write to a bot until the end of the transaction. Meanwhile no grant of the bot is
 * given or revoked, and no other mail of the sender is judged. Judge and store a mail under one such lock: a grant that
 * is given concurrently then either counts for the mail or finds it held.
 *
 * Take it before any lock on a thread or a conversation. Giving a grant takes its locks in that order, too.
 */
export const lockSender = (tx: TenantTx, { botId, sender }: Sender): Promise<void> =>
  lockSenderOf(tx, botId, sender);

/** A mail, and its bot's policy for unknown senders. */
interface Asked extends Sender {
  threadId: string;
  senderPolicy: 'authorized' | 'open';
}

/**
 * Whether a sender may write to a bot in a thread: the bot answers everybody, or a grant admits the address, its domain
 * or the thread. Takes `lockSender`, which is free if it is already held.
 */
export async function mayWrite(tx: TenantTx, asked: Asked): Promise<boolean> {
  if (asked.senderPolicy === 'open') return true;
  await lockSender(tx, asked);
  return (await grantedKinds(tx, asked)).length > 0;
}

/** The kinds of grants that currently admit a sender in a thread, without a lock. */
export const grantedKinds = (tx: TenantTx, asked: Omit<Asked, 'senderPolicy'>): Promise<GrantRow['kind'][]> =>
  listGrantedKinds(tx, { ...asked, domain: domainOf(asked.sender) });
