import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { spokenLanguageOf } from '@botyard/words/words';
import type { ChatMails, MissedAnswers, PrivateChat } from '../../../domain/chat-mails.ts';
import type { Deps } from '../../deps.ts';
import { findConfirmedThread, separateThreads } from '../../store/chat-threads.ts';
import { lockMailThreads } from '../../store/outgoing.ts';
import { eraseMails, forgetMail } from '../erase-mail.ts';
import type { Mailbox } from '../mailboxes.ts';
import { accountOf } from '../outbound/account.ts';
import { plainMail } from '../outbound/format/format-mail.ts';
import { answerSubject } from '../outbound/header-text.ts';
import { queueMails } from '../outbound/queue-mail.ts';
import { sendChatLink } from './chat-link.ts';

/** Continues the chats of other platforms by mail. */
export const createChatMails = (deps: Deps): ChatMails => ({
  canMail: async (bot) => (await findSendingMailbox(deps, bot)) !== undefined,
  requestLink: async (chat, { address, language }) => {
    const mailbox = await findSendingMailbox(deps, chat);
    if (mailbox) await sendChatLink(deps, mailbox, { chat, address: address.toLowerCase(), language });
  },
  hasAddress: async (tx, chat) => (await findConfirmedThread(tx, chat)) !== undefined,
  mail: (chat, missed, claim) => mailMissed(deps, chat, missed, claim),
  end: separateThreads,
  erase: (erasure) => eraseMails(deps, erasure),
  forget: (erasure) => forgetMail(deps, erasure),
});

/** The mailbox of a bot, if there is an account that sends for it. */
async function findSendingMailbox(
  deps: Deps,
  { tenantId, botId }: Pick<PrivateChat, 'tenantId' | 'botId'>,
): Promise<Mailbox | undefined> {
  const mailbox = await deps.mailboxes.ofBot(botId);
  if (!mailbox?.isEnabled || mailbox.tenantId !== tenantId) return undefined;
  return 'account' in accountOf(deps, mailbox) ? mailbox : undefined;
}

async function mailMissed(
  deps: Deps,
  chat: PrivateChat,
  { markdown, isByStaff, language }: MissedAnswers,
  claim: (tx: TenantTx) => Promise<boolean>,
): Promise<void> {
  const { tenantId } = chat;
  const body = await deps.texts.format('formatMail', { owner: tenantId, markdown }, plainMail);
  await withTenant(deps.database, [tenantId], async (tx) => {
    const threadId = await findConfirmedThread(tx, chat);
    const thread = threadId && (await lockMailThreads(tx, tenantId, [threadId])).get(threadId);
    if (!(await claim(tx)) || !thread || !body) return;
    const mail = {
      ...body,
      thread,
      isByStaff,
      language: spokenLanguageOf(language),
      subject: answerSubject(thread.subject),
      recipient: thread.correspondent,
    };
    await queueMails(tx, { tenantId, wanted: [mail] });
    tx.afterCommit(() => deps.wakeSender('email'));
  });
}
