import type { TenantTx } from '@botyard/shared/db/database';
import { currentContext } from '@botyard/shared/tracing/context';
import { admitMessages } from '../../../../admission/domain/admission.ts';
import type { Delivery } from '../../../../admission/store/admission.ts';
import type { Deps } from '../../deps.ts';
import { isConfirmedThread } from '../../store/chat-threads.ts';
import { listThreadsWithReadings, saveReading } from '../../store/mail-readings.ts';
import type { ThreadRow } from '../../store/threads.ts';
import { type ContinuedChat, deliveryOf, type SpokenMail } from './message-event.ts';

type PassOnDeps = Pick<Deps, 'outbox' | 'showWritten' | 'wakeMailReading'>;

/** A stored mail that becomes the next message of its thread. */
interface MailToPassOn {
  thread: ThreadRow;
  integrationId: string;
  mail: SpokenMail;
}

/**
 * Makes messages of mails, in this order. A mail with documents that aren't read yet becomes one once they are, and
 * later mails of its thread after it. The caller has locked the threads.
 */
export async function passOn(deps: PassOnDeps, tx: TenantTx, all: readonly MailToPassOn[]): Promise<void> {
  const threads = all.map(({ thread }) => thread);
  const waiting = await listThreadsWithReadings(tx, threads);
  const readable: MailToPassOn[] = [];
  for (const one of all) {
    const { threadId } = one.thread;
    if (!waiting.has(threadId) && !hasUnread(one)) {
      readable.push(one);
      continue;
    }
    waiting.add(threadId);
    await saveReading(tx, { ...rowOf(one), isHeld: false });
  }
  if (readable.length < all.length) tx.afterCommit(deps.wakeMailReading);
  await admitAll(deps, tx, readable);
}

/** Has the documents of a held mail read, so that it can be passed on as soon as its sender is permitted. */
export async function readHeld(deps: PassOnDeps, tx: TenantTx, held: MailToPassOn): Promise<void> {
  if (!hasUnread(held)) return;
  await saveReading(tx, { ...rowOf(held), isHeld: true });
  tx.afterCommit(deps.wakeMailReading);
}

/** Admits mails as messages; the events are published after the commit. */
export async function admitAll(
  deps: Pick<Deps, 'outbox' | 'showWritten'>,
  tx: TenantTx,
  all: readonly MailToPassOn[],
): Promise<void> {
  const deliveries: Delivery[] = [];
  for (const { thread, integrationId, mail } of all) {
    const chat = await findChat(deps, tx, { thread, mail });
    deliveries.push(deliveryOf(deps, thread, { integrationId, mail, chat }));
  }
  await admitMessages(deps, tx, deliveries);
}

/** The chat that the mail continues, in which it is shown; `undefined` if the mail is a conversation of its own. */
async function findChat(
  { showWritten }: Pick<Deps, 'showWritten'>,
  tx: TenantTx,
  { thread, mail }: Pick<MailToPassOn, 'thread' | 'mail'>,
): Promise<ContinuedChat | undefined> {
  const { tenantId, chatPlatform: platform, chatId: platformChatId } = thread;
  const { mailId: messageId, text, automaticReason } = mail;
  if (platform === null || platformChatId === null || automaticReason !== undefined) return undefined;
  if (!(await isConfirmedThread(tx, thread))) return undefined;
  const person = await showWritten(tx, { tenantId, platform, platformChatId, messageId, text });
  return person && { platform, platformChatId, name: person.name };
}

const hasUnread = ({ mail: { files } }: MailToPassOn): boolean =>
  files.some(({ textMissing }) => textMissing === 'waiting');

const rowOf = ({ thread, integrationId, mail }: MailToPassOn) => ({
  tenantId: thread.tenantId,
  mailId: mail.mailId,
  threadId: thread.threadId,
  integrationId,
  sentAt: new Date(mail.sentAt),
  traceparent: currentContext()?.traceparent ?? null,
});
