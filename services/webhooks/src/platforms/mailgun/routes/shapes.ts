import type { Email, EmailDetail, EmailThread, SenderGrant } from '@botyard/contracts/http/email-threads';
import type { z } from 'zod';
import type { GrantRow } from '../store/grants.ts';
import type { AttachmentRow, ListedMail, MailRow } from '../store/mail-list.ts';
import type { ListedThread } from '../store/thread-list.ts';

export const toThread = ({ isBounced, heldCount, ...row }: ListedThread): EmailThread => ({
  ...row,
  heldCount,
  state: isBounced ? 'bounced' : heldCount > 0 ? 'held' : 'active',
  createdAt: row.createdAt.toISOString(),
  lastMailAt: row.lastMailAt.toISOString(),
});

type Attachments = ReadonlyMap<string, readonly AttachmentRow[]>;

export const toListedEmail =
  (attachments: Attachments) =>
  (row: ListedMail): Email => ({
    ...row,
    attachments: (attachments.get(row.mailId) ?? []).map(
      ({ attachmentId, name, mediaType, sizeBytes, missingReason }) => ({
        ...{ attachmentId, name, mediaType, sizeBytes, missingReason },
      }),
    ),
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
  });

export const toEmail = (row: MailRow, attachments: Attachments): Email =>
  toListedEmail(attachments)({ ...row, hasHtml: row.html !== null });

export const toEmailDetail = (row: MailRow, attachments: Attachments): z.input<typeof EmailDetail> => {
  const { messageId, inReplyTo, originalText, html, isUncertain } = row;
  return { ...toEmail(row, attachments), messageId, inReplyTo, originalText, html, isUncertain };
};

export const toSenderGrant = ({ createdAt, ...row }: GrantRow): SenderGrant => ({
  ...row,
  createdAt: createdAt.toISOString(),
});
