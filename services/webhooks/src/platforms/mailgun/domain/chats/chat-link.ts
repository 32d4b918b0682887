import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { speaking } from '@botyard/words/words';
import { v7 as uuidv7 } from 'uuid';
import { conversationIdOf } from '../../../../chats/domain/conversation-id.ts';
import type { PrivateChat } from '../../../domain/chat-mails.ts';
import type { Deps } from '../../deps.ts';
import { findConfirmedThread, findRequestedThread } from '../../store/chat-threads.ts';
import { countLink, type LinkLimit } from '../../store/link-counts.ts';
import { insertThread } from '../../store/threads.ts';
import { newPlusToken } from '../inbound/receive/find-or-begin-thread.ts';
import type { Mailbox } from '../mailboxes.ts';
import { isBounced } from '../outbound/bounces.ts';
import { queueMail } from '../outbound/queue-mail.ts';
import { isInvitable, mailboxOf } from '../senders/addresses.ts';
import { keyOfLimit, newLink } from '../senders/invite.ts';
import { createChatLinkMail } from '../senders/link-mail.ts';
import { lockSender } from '../senders/sender-permission.ts';

const hour = 3600;

/**
 * Anybody can name any address in a chat. So these links have limits of their own, which leave to senders of mail the
 * links that they wait for, and to the tenant most of its mails of a day.
 */
const limitsOf = ({ tenantId, botId }: Mailbox, address: string, perDay: number): LinkLimit[] => [
  { key: keyOfLimit('chat address and hour', mailboxOf(address)), most: 1, windowSeconds: hour },
  { key: keyOfLimit('chat address', mailboxOf(address)), most: 3, windowSeconds: 24 * hour },
  { key: keyOfLimit('chat bot', botId), most: 60, windowSeconds: hour },
  { key: keyOfLimit('chat tenant', tenantId), most: Math.ceil(perDay / 4), windowSeconds: 24 * hour },
];

interface Request {
  chat: PrivateChat;
  /** In lower case. */
  address: string;
  language: string | null;
}

/** Queues the mail with the link that continues a chat by mail, unless a limit or the address speaks against it. */
export async function sendChatLink(deps: Deps, mailbox: Mailbox, request: Request): Promise<void> {
  const { chat, address, language } = request;
  const { tenantId, botId } = mailbox;
  if (!isInvitable(address, mailbox.address)) return;
  await withTenant(deps.database, [tenantId], async (tx) => {
    await lockSender(tx, { tenantId, botId, sender: address });
    // The first confirmed address stays, so that a session which was stolen can't lead answers elsewhere.
    if (await findConfirmedThread(tx, chat)) return;
    if (await isBounced(tx, tenantId, address)) return;
    if (!(await countLink(tx, limitsOf(mailbox, address, deps.mailerAccount.perDay)))) return;
    const threadId = await findOrBeginThread(tx, mailbox, request);
    const link = await newLink(deps, tx, { tenantId, botId, threadId, address });
    const mail = createChatLinkMail({ mailbox: mailbox.address, link, language });
    await queueMail(deps, tx, { tenantId, botId, threadId, recipient: address, ...mail });
  });
}

async function findOrBeginThread(
  tx: TenantTx,
  { tenantId, botId, integrationId, address: mailboxAddress }: Mailbox,
  { chat, address, language }: Request,
): Promise<string> {
  const requested = await findRequestedThread(tx, { ...chat, address });
  if (requested !== undefined) return requested;
  const threadId = uuidv7();
  await insertThread(tx, {
    tenantId,
    threadId,
    botId,
    integrationId,
    conversationId: conversationIdOf({ botId, platform: 'email' }, threadId),
    plusToken: newPlusToken(),
    subject: speaking(language)('chat_mail_subject', { mailbox: mailboxAddress }),
    correspondent: address,
    correspondentName: '',
    chatPlatform: chat.platform,
    chatId: chat.platformChatId,
  });
  return threadId;
}
