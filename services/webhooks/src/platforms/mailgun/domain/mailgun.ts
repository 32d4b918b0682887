import type { PlatformName } from '@botyard/contracts/http/platform';
import { EmailSecrets } from '@botyard/contracts/platforms/email';
import { type Account, accountsBehind } from '@botyard/shared/auth/person-id';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Platform } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { pagesOfAddresses } from '../store/addresses.ts';
import { listThreads } from '../store/erasure.ts';
import { settleMail } from '../store/mail-queue.ts';
import { lockMailThreads } from '../store/outgoing.ts';
import { listCorrespondents } from '../store/threads.ts';
import { eraseMails, forgetMail } from './erase-mail.ts';
import { type MailBody, plainMail } from './outbound/format/format-mail.ts';
import { queueReplyMails, threadIdOf } from './outbound/queue-reply-mails.ts';
import { retryInMs } from './outbound/retries.ts';
import { sendMail } from './outbound/send-mail.ts';

/** The mailer takes messages of 25 MB, in which a file grows by a third. */
const maxFileBytes = 18 * 1024 * 1024;

type AdapterDeps = Parameters<typeof sendMail>[0] & Pick<Deps, 'texts' | 'objects' | 'wakeSender'>;

export const createMailgun = (deps: AdapterDeps): Platform<MailBody, EmailSecrets> => ({
  name: 'email',
  credentials: EmailSecrets,
  slots: 32,
  paces: undefined,
  format: async ({ tenantId: owner, markdown, signal }) => {
    const body = await deps.texts.format('formatMail', { owner, markdown, signal }, plainMail);
    return body ? [body] : [];
  },
  send: (send) => sendMail(deps, send),
  // A mail takes its file from its reply.
  files: { maxBytesOf: () => maxFileBytes, send: (send) => sendMail(deps, send) },
  retryInMs,
  listRecipients: async (tx, replies) => {
    const threads = replies.map((reply) => ({ tenantId: reply.tenantId, threadId: threadIdOf(reply) }));
    const correspondents = await listCorrespondents(
      tx,
      threads.filter(({ threadId }) => threadId !== ''),
    );
    const addresses = replies.map((reply) => [reply.replyId, correspondents.get(threadIdOf(reply))] as const);
    return new Map(addresses.flatMap(([replyId, address]) => (address ? [[replyId, address]] : [])));
  },
  records: {
    lock: async (tx, { tenantId, platformChatId }) => {
      await lockMailThreads(tx, tenantId, [platformChatId]);
    },
    queue: queueReplyMails,
    settle: async (tx, part) => {
      await settleMail(tx, { tenantId: part.tenantId, mailId: part.partId });
    },
  },
  people: {
    findAccounts: (of) => findAddresses(deps, of),
    listPrivateChats: async (tx, { tenantId, platformUserIds: addresses }) => {
      const threads = await listThreads(tx, { tenantId, addresses });
      return threads.map(({ conversationId, threadId }) => ({ conversationId, platformChatId: threadId }));
    },
    erase: (erasure) => eraseMails(deps, erasure),
    forget: (erasure) => forgetMail(deps, erasure),
  },
});

const platform: PlatformName = 'email';

/**
 * The addresses behind these identifiers, each once. Senders who wait for admission are known only here, so all
 * addresses are examined; it is only called after a restore.
 */
async function findAddresses(
  { database }: Pick<Deps, 'database'>,
  { tenantId, personIds }: { tenantId: string; personIds: readonly string[] },
): Promise<Account[]> {
  const behind = new Map<string, Account>();
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [tenantId], work);
  for await (const addresses of pagesOfAddresses(inTenant, tenantId)) {
    const accounts = [...new Set(addresses)].map((platformUserId) => ({ platform, platformUserId }));
    for (const account of accountsBehind(tenantId, personIds, accounts))
      behind.set(account.platformUserId, account);
    if (behind.size >= personIds.length) break;
  }
  return [...behind.values()];
}
