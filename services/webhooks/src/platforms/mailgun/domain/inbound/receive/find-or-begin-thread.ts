import { randomBytes } from 'node:crypto';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { conversationIdOf } from '../../../../../chats/domain/conversation-id.ts';
import { findThread, listRecentThreads, lockThread, type ThreadRow } from '../../../store/threads.ts';
import type { Mailbox } from '../../mailboxes.ts';
import { bareSubject, isAnswerSubject } from '../../outbound/header-text.ts';
import type { ReadMail } from '../read/read-mail.ts';

/** A token of 80 bits, in characters that every mail program preserves. */
export const newPlusToken = (): string => randomBytes(10).toString('hex');

/** The Message-Ids that a mail answers, in order of relevance: the newest in `References`, then `In-Reply-To`. */
export const answeredIds = ({ references, inReplyTo }: ReadMail): string[] => [
  ...new Set([...references.toReversed(), ...(inReplyTo === null ? [] : [inReplyTo])]),
];

/** A new thread, which isn't stored yet. */
export function newThread(
  { tenantId, botId, integrationId }: Mailbox,
  mail: ReadMail & { from: NonNullable<ReadMail['from']> },
): ThreadRow {
  const threadId = uuidv7();
  return {
    tenantId,
    threadId,
    botId,
    integrationId,
    conversationId: conversationIdOf({ botId, platform: 'email' }, threadId),
    plusToken: newPlusToken(),
    subject: mail.subject,
    correspondent: mail.from.address,
    correspondentName: mail.from.name,
    references: [],
    threadIndex: mail.threadIndex,
    chatPlatform: null,
    chatId: null,
    createdAt: new Date(),
    lastMailAt: new Date(),
  };
}

/**
 * The thread that a mail continues, locked; `undefined` if the mail answers none of ours. A thread belongs to its
 * correspondent: an answer by another person begins a new thread, in which they can't read or write as the first
 * person.
 *
 * Some programs and relays replace the ids that they answer. Then Outlook's number of the conversation counts, and at
 * last the subject, if the mail is an answer and the bot has written in the thread lately. A mail whose sender is
 * disproved is in a thread by an id only, which a stranger can't know.
 */
export async function findKnownThread(
  tx: TenantTx,
  owner: Pick<ThreadRow, 'tenantId' | 'botId' | 'correspondent'>,
  mail: ReadMail,
): Promise<ThreadRow | undefined> {
  const messageIds = answeredIds(mail);
  const { plusTokens } = mail;
  const isNamed = messageIds.length > 0 || plusTokens.length > 0;
  const threadId =
    (isNamed ? await findThread(tx, { ...owner, messageIds, plusTokens }) : undefined) ??
    (await findByConversation(tx, owner, mail));
  return threadId === undefined ? undefined : await lockThread(tx, { tenantId: owner.tenantId, threadId });
}

async function findByConversation(
  tx: TenantTx,
  owner: Pick<ThreadRow, 'tenantId' | 'botId' | 'correspondent'>,
  mail: ReadMail,
): Promise<string | undefined> {
  const { threadIndex, subject, topic, senderProof } = mail;
  const isAnswer = answeredIds(mail).length > 0 || isAnswerSubject(subject);
  if (senderProof.state === 'failed' || (threadIndex === null && !isAnswer)) return undefined;
  const threads = await listRecentThreads(tx, owner);
  const sameIndex = threads.find((thread) => threadIndex !== null && thread.threadIndex === threadIndex);
  if (sameIndex || !isAnswer) return sameIndex?.threadId;
  const subjects = [subject, topic].map(bareSubject).filter((bare) => bare !== '');
  return threads.find((thread) => thread.isAnswered && subjects.includes(bareSubject(thread.subject)))
    ?.threadId;
}
