import type { KeptFile } from '../../../../../files/domain/keep-files.ts';
import type { Deps } from '../../../deps.ts';
import type { ThreadRow } from '../../../store/threads.ts';
import type { Mailbox } from '../../mailboxes.ts';
import type { SpokenMail } from '../message-event.ts';
import type { ReadMail } from '../read/read-mail.ts';
import type { Receiver } from './find-receiver.ts';
import { isAllowedList, type Verdict } from './verdict.ts';

/** The verdict on a delivery. All except a replay are answered with 200, so that the mailer doesn't repeat them. */
export type Received = {
  verdict: 'accepted' | 'held' | 'duplicate' | 'ignored' | 'replay';
  reason?: string;
};

/** A delivery that was read and judged. */
export interface Arrived {
  receiver: Receiver;
  mailId: string;
  mail: ReadMail;
  digest: string;
  verdict: Verdict;
  files: readonly KeptFile[];
}

export type FromSomebody = Arrived & { mail: ReadMail & { from: NonNullable<ReadMail['from']> } };

export type AdmitDeps = Pick<
  Deps,
  'outbox' | 'log' | 'publicBaseUrl' | 'showWritten' | 'wakeSender' | 'wakeMailReading' | 'mailStorageBytes'
>;

/**
 * Whether the mailer's results say that somebody else wrote the mail. A list that the tenant allows breaks the results
 * of its members, so those of the list count.
 */
export const isDisproved = ({ senderPolicy, allowedLists }: Mailbox, mail: ReadMail): boolean =>
  mail.senderProof.state === 'failed' &&
  senderPolicy !== 'open' &&
  !(mail.list.isProven && isAllowedList(mail, allowedLists));

/** The mail as a row of its thread. */
export function rowOf({ mail, mailId, receiver }: Arrived, { threadId }: Pick<ThreadRow, 'threadId'>) {
  const { tenantId, botId } = receiver.mailbox;
  const { messageId, inReplyTo, recipient, subject, text, originalText, html, from } = mail;
  return {
    tenantId,
    mailId,
    threadId,
    botId,
    messageId,
    inReplyTo,
    recipient,
    subject,
    text,
    originalText,
    html,
    sender: from?.address ?? '',
    senderName: from?.name ?? '',
    senderProof: mail.senderProof.state,
    language: mail.language,
  };
}

/** The mail as a message of its conversation. */
export function spokenOf({ mail, mailId, files }: FromSomebody, admittedAt: Date): SpokenMail {
  const { messageId, language, subject, text, sentAt } = mail;
  return {
    mailId,
    messageId,
    sender: mail.from.address,
    senderName: mail.from.name,
    senderProof: mail.senderProof.state,
    language,
    subject,
    files,
    text,
    sentAt,
    admittedAt,
  };
}
