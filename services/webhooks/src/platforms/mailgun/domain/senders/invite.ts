import { createHash, randomBytes } from 'node:crypto';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { countLink, type LinkLimit } from '../../store/link-counts.ts';
import { hasRecentToken, insertSenderToken } from '../../store/sender-tokens.ts';
import type { Mailbox } from '../mailboxes.ts';
import { isBounced } from '../outbound/bounces.ts';
import { queueMail } from '../outbound/queue-mail.ts';
import { isInvitable, mailboxOf } from './addresses.ts';
import { createLinkMail } from './link-mail.ts';
import { hashToken } from './links.ts';
import { lockSender } from './sender-permission.ts';

/** The path of the page that a link opens, below the public address. */
export const pagePath = '/api/email-auth/allow';

/** A new link for an address. Only the hash of its token is stored. */
export async function newLink(
  { publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>,
  tx: TenantTx,
  holder: { tenantId: string; botId: string; threadId: string; address: string },
): Promise<string> {
  const token = randomBytes(24).toString('hex');
  await insertSenderToken(tx, { ...holder, tokenHash: hashToken(token) });
  // After the `#`, so that no server, log or link scanner sees the token.
  return `${publicBaseUrl}${pagePath}#token=${token}`;
}

const hour = 3600;

/** Limits that count an address over all bots and tenants, so that many bots together can't flood one person. */
const limitsOf = (mailbox: Mailbox, address: string): LinkLimit[] => [
  ...limitsOfTenant(mailbox.tenantId, address),
  { key: keyOfLimit('bot', mailbox.botId), most: 60, windowSeconds: hour },
];

/** Limits for all links that a tenant sends to an address, of any kind. */
export const limitsOfTenant = (tenantId: string, address: string): LinkLimit[] => [
  { key: keyOfLimit('address', mailboxOf(address)), most: 3, windowSeconds: 24 * hour },
  { key: keyOfLimit('tenant', tenantId), most: 200, windowSeconds: hour },
];

/** Keys are hashes, which identify no person. */
export const keyOfLimit = (...parts: string[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('base64url');

/**
 * Queues the mail with a link for an unknown sender, at most one within 24 hours. A machine, an address that bounced
 * and a sender beyond the limits (`capped`) get none, because a forged `From` would direct our mail to any address.
 *
 * Called in the transaction that stores the held mail. Only the `language` of the sender's mail is used.
 */
export async function inviteSender(
  deps: InviteDeps,
  tx: TenantTx,
  mailbox: Mailbox,
  { threadId, sender, messageId, language }: UnknownMail,
): Promise<'sent' | 'capped'> {
  const { tenantId, botId } = mailbox;
  if (!isInvitable(sender, mailbox.address)) return 'capped';
  await lockSender(tx, { tenantId, botId, sender });
  if (await hasRecentToken(tx, { tenantId, botId, address: sender })) return 'capped';
  if (await isBounced(tx, tenantId, sender)) return 'capped';
  if (!(await countLink(tx, limitsOf(mailbox, sender)))) return 'capped';
  const link = await newLink(deps, tx, { tenantId, botId, threadId, address: sender });
  const mail = createLinkMail({ mailbox: mailbox.address, link, language });
  const place = { tenantId, botId, threadId, recipient: sender, inReplyTo: messageId };
  await queueMail(deps, tx, { ...place, ...mail });
  return 'sent';
}

/** The mail of an unknown sender. */
interface UnknownMail {
  threadId: string;
  sender: string;
  messageId: string;
  language: string | null;
}

type InviteDeps = Parameters<typeof queueMail>[0] & Pick<Deps, 'publicBaseUrl'>;
