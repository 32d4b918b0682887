import { withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import { requireChat } from '../../takeover/domain/take-over.ts';
import { sendOut } from '../../takeover/domain/write-message.ts';
import { dismissReply, getChatOfReply, insertAgain } from '../store/undelivered.ts';

/**
 * Sends a reply that did not arrive, or may not have, once more as a new message at the end of its chat, and takes the
 * old one off the list: once, however many ask. Returns the new message's identifier.
 * @throws HttpError 404; 409 when it isn't on the list any more, or its bot is deleted.
 */
export async function resendReply(
  deps: Pick<Deps, 'database' | 'outbox'>,
  tenantId: string,
  messageId: string,
): Promise<string> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const chatId = await getChatOfReply(tx, tenantId, messageId);
    if (chatId === undefined) throw notFound('reply');
    const chat = await requireChat(tx, tenantId, chatId);
    if (chat.isBotDeleted) throw conflict('the bot is deleted: nothing is sent in its name any more');
    if (!(await dismissReply(tx, tenantId, messageId)))
      throw conflict('the reply has arrived, is still on its way, or was sent anew or dropped already');
    const { staffId, ...written } = await insertAgain(tx, chat, messageId);
    await sendOut(deps, tx, chat, { ...written, author: staffId === null ? 'bot' : 'staff' });
    return written.messageId;
  });
}
