import { withMoments } from '@botyard/contracts/http/common';
import type { Email, EmailDetail, EmailThread } from '@botyard/contracts/http/email-threads';
import type { z } from 'zod';
import type { AttachmentRow, ListedMail, MailRow } from '../store/mail-list.ts';
import type { ListedThread } from '../store/thread-list.ts';

export const toThread = ({ isBounced, ...row }: ListedThread): EmailThread => ({
  ...withMoments(row),
  state: isBounced ? 'bounced' : row.heldCount > 0 ? 'held' : 'active',
});

type Attachments = ReadonlyMap<string, readonly AttachmentRow[]>;

export const toListedEmail =
  (attachments: Attachments) =>
  (row: ListedMail): Email =>
    withMoments({ ...row, attachments: [...(attachments.get(row.mailId) ?? [])] });

export const toEmail = (row: MailRow, attachments: Attachments): Email =>
  toListedEmail(attachments)({ ...row, hasHtml: row.html !== null });

export const toEmailDetail = (row: MailRow, attachments: Attachments): z.input<typeof EmailDetail> => {
  const { messageId, inReplyTo, originalText, html, isUncertain } = row;
  return { ...toEmail(row, attachments), messageId, inReplyTo, originalText, html, isUncertain };
};
