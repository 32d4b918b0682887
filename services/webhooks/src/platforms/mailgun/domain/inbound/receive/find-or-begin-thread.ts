import { randomBytes } from 'node:crypto';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { conversationIdOf } from '../../../../../delivery/domain/chats/conversation-id.ts';
import { findThread, lockThread, type ThreadRow } from '../../../store/threads.ts';
import type { Mailbox } from '../../mailboxes.ts';
import type { ReadMail } from '../read/read-mail.ts';

/** A token of 80 bits, in characters that every mail program preserves. */
const newPlusToken = (): string => randomBytes(10).toString('hex');

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
    ...{ tenantId, threadId, botId, integrationId },
    conversationId: conversationIdOf(botId, threadId),
    plusToken: newPlusToken(),
    subject: mail.subject,
    correspondent: mail.from.address,
    correspondentName: mail.from.name,
    references: [],
    createdAt: new Date(),
    lastMailAt: new Date(),
  };
}

/**
 * The thread that a mail continues, locked; `undefined` if the mail answers none of ours. A thread belongs to its
 * correspondent: an answer by another person begins a new thread, in which they can't read or write as the first
 * person.
 */
export async function findKnownThread(
  tx: TenantTx,
  owner: Pick<ThreadRow, 'tenantId' | 'botId' | 'correspondent'>,
  mail: ReadMail,
): Promise<ThreadRow | undefined> {
  const messageIds = answeredIds(mail);
  const { plusTokens } = mail;
  if (messageIds.length === 0 && plusTokens.length === 0) return undefined;
  const threadId = await findThread(tx, { ...owner, messageIds, plusTokens });
  return threadId === undefined ? undefined : await lockThread(tx, { tenantId: owner.tenantId, threadId });
}
